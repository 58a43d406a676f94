/* Reductions by keys: sum[t where key(t) == i && rest](e), where the key is data. Instead of trying every t for every
 * i, the values of t are put in the order of their keys, once, and each i folds over its own. This file finds them, and
 * makes of each what it is in the sorted order; whether that is faster is not decided here (sched/search/sorting.c). */
#ifndef TDC_SORTED_H
#define TDC_SORTED_H

#include "early.h"
#include "ir/equation.h"
#include "ir/expr_map.h"
#include "ir/graph.h"

/* A condition of the guard that says of a key which element a value of the variables belongs to. */
typedef struct SortedKey {
    int at;          /* its place among the conditions of the guard */
    const Expr *key; /* i64 */
    Var *owner;      /* i, which is free in the reduction */
} SortedKey;

/* A reduction by keys. `position` are the variables on which the keys depend, those that are free in it before those
 * that it folds. */
typedef struct SortedFold {
    const Expr *reduce;
    const Tensor *reader;
    const Piece *piece; /* of the reader, in which it was met first */
    ExprVec conds;      /* of the guard, all of which must hold, in order */
    int nkeys, nposition, nfree;
    SortedKey key[MAX_RANK];
    Var *position[MAX_RANK];
    bool *inside; /* of each condition: the key stands under it, so the sort has seen to it */
    bool bare;    /* it is evaluated whatever conditions hold */
} SortedFold;

/* Folds over the same keys below the same bound: one sort serves all. */
typedef struct SortedKeys {
    Tensor *given;     /* the keys are a parameter as it stands; NULL: they are computed */
    const Expr *value; /* of keys that are computed, over `vars`; -1: nowhere */
    int nvars;
    Var *vars[MAX_RANK];
    const Expr *below;
    bool ascends; /* given keys are known to be in order, and no less than 0 */
    VEC(SortedFold *) folds;
    Sort *sort;   /* NULL: not made, or taken back */
    bool updated; /* the folds are updates of lets (updated.h) */
    Sort *made;   /* the sort, once it was made: made again it has the same tensors */
    int before;   /* tensors of the Graph before it was made */
} SortedKeys;

typedef struct SortedPlan {
    Graph *g;
    Ctx *temp;
    VEC(SortedKeys *) keys; /* in the order in which they were met */
    ExprMap of;             /* OP_REDUCE -> SortedFold */
    ExprMap keys_of;        /* the same -> SortedKeys */
} SortedPlan;

/* All of a Graph's; what it notes is in the memory of temp. */
SortedPlan *sorted_find(Graph *g, Ctx *temp);
/* Makes lets of reductions in what is folded that are the same for all owners. Whether there were some: what was found
 * is no longer what the Graph has then. */
bool sorted_take_inner(const SortedPlan *p);
/* Whether one of the folds loads elements, one for each owner and each place of the keys, that another reduction goes
 * through anyway: a search for each owner adds nothing to that. */
bool sorted_reads_beside(const SortedPlan *p, const SortedKeys *k);
/* Declares the tensors of the sort, last in the Graph; takes them back; moves them to where what reads them may stand
 * behind them. A Graph that is put back as it was (definitions.h) may have it made again. */
void sorted_make(SortedPlan *p, SortedKeys *k);
void sorted_take_back(SortedPlan *p, SortedKeys *k);
void sorted_place(SortedPlan *p, SortedKeys *k);
/* Whether the fold, or a part of it, may be a let, which has a value for each of its variables: what it loads is there
 * whatever conditions stand around it. */
bool sorted_may_be_let(const SortedPlan *p, const SortedFold *f, const Expr *e);
/* What a fold becomes, of which `made` is the node with operands that may have been rewritten. Its sort is made. What
 * of it varies along fewer indices becomes a let at `place`; NULL: nothing is written yet, and it stays. */
const Expr *sorted_fold(SortedPlan *p, const SortedKeys *k, const SortedFold *f, const Expr *made, EarlyPlace *place);
/* Writes all folds whose sort is there, or that are updates, into the Graph's definitions. */
void sorted_write(SortedPlan *p);

#endif
