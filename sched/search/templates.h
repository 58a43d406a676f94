/* The best of a group's candidates at one point (templates.c). */
#ifndef TDC_TEMPLATES_H
#define TDC_TEMPLATES_H

#include "cost_form.h"
#include "schedule.h"

typedef struct Best {
    Schedule schedule;
    int64_t most[MAX_GROUP_AXES]; /* schedule_legal_within's */
    double seconds;               /* at the point */
} Best;

/* At the point form->at, within so many bytes of shared memory: *best of those that are legal there, *always of those
 * that are legal for all sizes. There is always one. Gives how many candidates there were. */
int templates_best(CostForm *form, int64_t shared, Best *best, Best *always);

#endif
