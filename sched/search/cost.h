/* The cost of a legal schedule: see cost.c. */
#ifndef TDC_COST_H
#define TDC_COST_H

#include "cost_form.h"
#include "schedule.h"
#include "sched/machine/machine.h"

double sched_cost(CostForm *form, const Machine *m, const Schedule *s); /* seconds, without the launch */
/* The same; INFINITY where that is `most` or more, which mostly shows before all of it is known. */
double sched_cost_below(CostForm *form, const Machine *m, const Schedule *s, double most);
double sched_cost_bytes(const Machine *m, double bytes); /* of a load and so many bytes of memory, at the least */
double sched_cost_launch(const Machine *m);              /* what a kernel more costs */

#endif
