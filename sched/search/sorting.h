/* Which reductions by keys are folded in the order of their keys (sched/plan/sorted.h): those that are predicted to be
 * faster so, the sort included. */
#ifndef TDC_SORTING_H
#define TDC_SORTING_H

#include "sched/machine/machine.h"
#include "sched/plan/definitions.h"

/* The Graph in another way, for some sizes. */
typedef struct SortingBranch {
    const Expr *when; /* of dimensions; NULL: one way is for all sizes */
    bool small;       /* those are small problems alone */
    Definitions *other;
} SortingBranch;

/* Rewrites the Graph. False: it has not been touched. */
bool sorting_choose(Graph *g, Targets t, const Machine *m, SortingBranch *branch);

#endif
