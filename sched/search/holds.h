/* Schedules of long rows that are held in shared memory. */
#ifndef TDC_HOLDS_H
#define TDC_HOLDS_H

#include "cost_form.h"
#include "schedule.h"

/* Hands over schedules that are legal at the form's point within the limits, most[a] the length up to which each is of
 * an axis; none where no tensor's rows are read by several folds and stores, or where registers hold them. */
void holds_each(const CostForm *form, const SchedLimits *limits,
                void (*take)(void *user, const Schedule *s, const int64_t *most), void *user);
/* One for rows of which nothing is said: as long ones as shared memory holds of that many blocks at a time. */
void holds_longest(const CostForm *form, const SchedLimits *limits, int blocks,
                   void (*take)(void *user, const Schedule *s, const int64_t *most), void *user);

#endif
