/* Schedules of maps with a short axis: see shorts.c. */
#ifndef TDC_SHORTS_H
#define TDC_SHORTS_H

#include "settle.h"

/* Hands over those of a map with an axis of at most eight elements; none of another group. */
void shorts_each(const CostForm *form, const SchedLimits *limits, SettleTake *take, void *user);

#endif
