/* Schedules of rows in registers, for a block of as many warps as the row needs (sched/kernel/settled.h). */
#ifndef TDC_SETTLE_H
#define TDC_SETTLE_H

#include "cost_form.h"
#include "schedule.h"

/* Hands over those of a group that folds rows of a length that is not known, and up to which length of each axis they
 * are legal; none where the group folds nothing, or several axes. */
void settle_each(const CostForm *form, const SchedLimits *limits,
                 void (*take)(void *user, const Schedule *s, const int64_t *most), void *user);

#endif
