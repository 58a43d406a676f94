/* Schedules of columns that a loop folds, of any length: see columns.c. */
#ifndef TDC_COLUMNS_H
#define TDC_COLUMNS_H

#include "settle.h"

/* Hands over those of a group that folds one axis across that along which elements are neighbours; none of another
 * one. They are legal for all sizes. */
void columns_each(CostForm *form, const SchedLimits *limits, SettleTake *take, void *user);

#endif
