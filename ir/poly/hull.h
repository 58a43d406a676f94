/* The range of an index variable widened to one over dimensions alone, as kernels' loops have: what the exact range
 * says beyond that becomes a condition. Bounds come from the ranges of other variables, from what `assume` says of
 * loaded values, from their types where those are small, and from the axes that the variable indexes. */
#ifndef TDC_HULL_H
#define TDC_HULL_H

#include "ir/graph.h"

/* What `assume` says that elements of integers are at most (least), else what their type says where it is small; NULL:
 * nothing. */
const Expr *range_of_elements(Graph *g, const Tensor *t, bool largest);

/* *least <= every value of lo, *end >= every value of hi, for a variable v with the range lo..hi that is used in the
 * guard and the body of reduction e; false where nothing bounds it. */
bool range_hull(Graph *g, const Expr *e, const Var *v, const Expr *lo, const Expr *hi, const Expr **least,
                const Expr **end);

#endif
