/* The cost of a legal schedule: see cost.c. */
#ifndef TDC_COST_H
#define TDC_COST_H

#include "cost_form.h"
#include "schedule.h"

double sched_cost(CostForm *form, const Target *t, const Schedule *s); /* seconds */

#endif
