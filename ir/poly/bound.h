/* What a graph assumes of a tensor's elements, one comparison at a time: for those who draw values that keep to it. */
#ifndef TDC_BOUND_H
#define TDC_BOUND_H

#include "ir/graph.h"

/* Each element x of the tensor: x op other. op is one of EQ, LT, LE, GT, GE. */
typedef void BoundFn(void *user, Op op, const Expr *other);
void bound_each(const Graph *g, const Tensor *t, BoundFn *fn, void *user);

/* cond compares a load of the tensor with something else: it holds where the element op *other does. */
bool bound_compare(const Expr *cond, const Tensor *t, Op *op, const Expr **other);

#endif
