/* The cost of a legal schedule: see cost.c. */
#ifndef TDC_COST_H
#define TDC_COST_H

#include "schedule.h"
#include "target.h"

double sched_cost(Group *gr, const Target *t, const Schedule *s); /* seconds */

#endif
