/* The one walk for questions of the kind: does something stand in this expression? */
#ifndef TDC_EXPR_FIND_H
#define TDC_EXPR_FIND_H

#include "expr_map.h"
#include "graph.h"

typedef enum Found { FOUND, FOUND_INSIDE /* perhaps: look there */, FOUND_NOT /* nor inside */ } Found;
typedef Found ExprTest(const Expr *e, const void *user);

/* The first node that is FOUND: e itself, or what stands in its operands (ranges of reductions are none); NULL: none,
 * or e is NULL. *seen, in the memory of temp, knows what holds none; it serves again for the same question. */
const Expr *expr_find(Ctx *temp, ExprMap *seen, const Expr *e, ExprTest *test, const void *user);
/* Whether e loads elements of the tensor. */
bool expr_loads(Ctx *temp, ExprMap *seen, const Expr *e, const Tensor *t);

#endif
