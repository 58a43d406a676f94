/* The range of an index variable widened to one over dimensions alone, as kernels' loops have: what the exact range
 * says beyond that becomes a condition. Bounds come from the ranges of other variables, from what `assume` says of
 * loaded values, from their types where those are small, and from the axes that the variable indexes. */
#ifndef TDC_HULL_H
#define TDC_HULL_H

#include "ir/graph.h"

/* *least <= every value of lo, *end >= every value of hi, for a variable v with the range lo..hi that is used in the
 * guard and the body of reduction e; false where nothing bounds it. */
bool range_hull(Graph *g, const Expr *e, const Var *v, const Expr *lo, const Expr *hi, const Expr **least,
                const Expr **end);

#endif
