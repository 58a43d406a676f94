/* Schedules of relayouts: maps that load neighbours along one axis and store neighbours along another. */
#ifndef TDC_RELAYOUTS_H
#define TDC_RELAYOUTS_H

#include "cost_form.h"
#include "schedule.h"

/* Hands over tiles of both axes, in registers and through shared memory, that are legal for all sizes within the
 * limits; none where the group is no relayout. */
void relayouts_each(const CostForm *form, const SchedLimits *limits, void (*take)(void *user, const Schedule *s),
                    void *user);

#endif
