/* Schedules of rows in registers, for a block of as many warps as the row needs (sched/kernel/settled.h). */
#ifndef TDC_SETTLE_H
#define TDC_SETTLE_H

#include "cost_form.h"
#include "schedule.h"

/* Takes a schedule, and up to which length of each axis it is legal. */
typedef void SettleTake(void *user, const Schedule *s, const int64_t *most);

/* Hands a schedule over where it is legal, fits, and its warps are whole. */
void settle_hand(const Group *gr, const SchedLimits *limits, const Schedule *s, SettleTake *take, void *user);
/* Hands over those of a group that folds rows of a length that is not known; none where the group folds nothing, or
 * several axes. */
void settle_each(const CostForm *form, const SchedLimits *limits, SettleTake *take, void *user);
/* Those of a group that folds columns of a length that is not known: see settle_columns.c. */
void settle_columns_each(CostForm *form, const SchedLimits *limits, SettleTake *take, void *user);

#endif
