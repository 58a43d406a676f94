/* The best of a group's candidates at one point (templates.c). */
#ifndef TDC_TEMPLATES_H
#define TDC_TEMPLATES_H

#include "cost_form.h"
#include "sched/machine/machine.h"
#include "schedule.h"

typedef struct Best {
    Schedule schedule;
    int64_t most[MAX_GROUP_AXES]; /* schedule_legal_within's */
    double seconds;               /* at the point, by cost.h */
} Best;

/* Candidates differ in kind by whether they are legal for all sizes, go along an axis in a loop, have a peel, have
 * threads along several short axes, share an axis among the blocks of a cluster, and have a whole window, or rows for
 * which the same is looked up, in each thread, or give ranges that are data to blocks and
 * warps. */
enum {
    BEST_KINDS = 64,
    BEST_OF_KIND = 12,
    BEST_OF_CLUSTERS = 4,
    BEST_ALWAYS = 1,
    BEST_LOOP = 2,
    BEST_PEEL = 4,
    BEST_STACK = 8,
    BEST_CLUSTER = 16,
    BEST_WINDOW = 32
};

/* The quickest of each kind, quickest first. */
typedef struct BestOf {
    int n[BEST_KINDS];
    Best at[BEST_KINDS][BEST_OF_KIND];
} BestOf;

/* At the point form->at, within those limits, of those that are legal there: of_kind of each kind at most, of clusters
 * BEST_OF_CLUSTERS. One is legal for all sizes. Gives how many candidates there were beside those of stacks. */
int templates_best(CostForm *form, const Machine *m, const SchedLimits *limits, int of_kind, BestOf *best);

#endif
