/* Reductions by keys as updates: instead of putting the values in the order of their keys, each is folded into its
 * owner's element of a let in memory, in the order in which threads come. Which of a Graph's may be is said here; which
 * are is decided in sched/search/sorting.c. */
#ifndef TDC_UPDATED_H
#define TDC_UPDATED_H

#include "early.h"
#include "sorted.h"

/* The let of a fold: an element for each value of what is free in it. */
typedef struct Updated {
    int rank;
    Var *vars[MAX_RANK]; /* of the fold, in the order of its subscripts */
    const Expr *shape[MAX_RANK];
    Piece start, update;
} Updated;

/* False: the fold has to have an order, no atomic does it, or it depends on what a let may not. */
bool updated_make(SortedPlan *p, const SortedFold *f, const Expr *made, Updated *out);
/* Where the values of a fold land in the end. */
typedef enum UpdatedIn {
    UPDATED_LET,    /* another kernel reads the let */
    UPDATED_TARGET, /* updated_direct will have them in the output or inout itself */
    UPDATED_KEPT    /* the same, and what they are folded into is there */
} UpdatedIn;
UpdatedIn updated_in(SortedPlan *p, const SortedFold *f, const Updated *u);
/* The operator by which a monoid of one part folds values of that type. */
Op updated_operator(Graph *g, const Monoid *m, Type t);
/* Whether a load of a tensor of t's shape is of the element that t's first piece defines. */
bool updated_own_element(const Tensor *t, const Expr *load);
/* As such a let, read at the fold's variables. */
const Expr *updated_let(EarlyPlace *x, const Updated *u, Type t);
/* Outputs and inouts that add nothing but values of their own elements to such a let are folded into themselves. */
void updated_direct(Graph *g, Ctx *temp);

#endif
