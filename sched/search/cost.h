/* The cost of a legal schedule: see cost.c. */
#ifndef TDC_COST_H
#define TDC_COST_H

#include "cost_form.h"
#include "schedule.h"
#include "sched/machine/machine.h"

double sched_cost(CostForm *form, const Machine *m, const Schedule *s); /* seconds, without the launch */
double sched_cost_bytes(const Machine *m, double bytes); /* of a load and so many bytes of memory, at the least */
double sched_cost_launch(const Machine *m);              /* what a kernel more costs */

/* What it is made of: seconds that each alone would take. */
typedef struct CostParts {
    double memory, cache, instructions, latency;
} CostParts;
double sched_cost_parts(CostForm *form, const Machine *m, const Schedule *s, CostParts *parts);

#endif
