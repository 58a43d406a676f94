/* What the passes share that rewrite reductions of a Graph before there is a plan: which of them are evaluated always,
 * what conditions they have, and lets in front of what reads them. */
#ifndef TDC_EARLY_H
#define TDC_EARLY_H

#include "ir/expr_walk.h"
#include "ir/graph.h"

/* The conditions that must all hold for c to hold, in order, without those that always do. */
void early_conditions(Ctx *temp, const Expr *c, ExprVec *list);
/* Whether the reduction folds the variable. */
bool early_folds(const Reduce *r, const Var *v);
/* Whether a variable's range is over dimensions. */
bool early_over_dims(const Var *v);
/* Adds the reductions in e that are evaluated whatever conditions hold. */
void early_bare(Ctx *temp, const Expr *e, ExprSet *bare);

/* An element of a vector of integers, seen through casts that leave its value as it is; NULL: something else. */
const Expr *early_element(const Expr *e);
/* Whether b is a + by. */
bool early_differ(Graph *g, const Expr *a, const Expr *b, int64_t by);
/* Whether the program says of a vector that t[v] <= t[v + 1] for all v below n. */
bool early_ascends(Graph *g, const Tensor *t, const Expr *n);

/* How many values a variable has. */
const Expr *early_length(Graph *g, const Var *v);

/* Where lets go: before the tensor number `at`, which reads them, or behind the last let that they load. */
typedef struct EarlyPlace {
    Graph *g;
    Ctx *temp;
    Tensor *reader;
    int at; /* each let before it moves it on */
} EarlyPlace;

/* A let that nothing defines yet, last in the Graph. */
Tensor *early_tensor(Graph *g, const Tensor *reader, const char *what, Type t, int rank, const Expr *const *shape);
/* Whether e may be a let of its free variables: their ranges are over dimensions, and they are few enough. */
bool early_may_be_let(Ctx *temp, const Expr *e);
/* A let last in the Graph goes to its place. */
void early_place(EarlyPlace *x, Tensor *t);
/* e as such a let, read at these variables. */
const Expr *early_let(EarlyPlace *x, const Expr *e, const char *what);

#endif
