/* Schedules of reductions by keys that scatter into bins (sched/plan/scatter.h). */
#ifndef TDC_SCATTERS_H
#define TDC_SCATTERS_H

#include "cost_form.h"
#include "schedule.h"

/* Hands over schedules of a group that scatters which are legal at the form's point within the limits, most[a] the
 * length up to which each is of an axis; few: those alone that are for rows of any length. */
void scatters_each(const CostForm *form, const SchedLimits *limits, bool few,
                   void (*take)(void *user, const Schedule *s, const int64_t *most), void *user);

#endif
