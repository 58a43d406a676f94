/* Simplification of expressions and Graphs: the rules of rules.def, constants, casts that change nothing, index
 * arithmetic in normal form and conditions on indices that are decided (poly.h). Types, values and special values stay
 * as they are; no rounding is moved, added or removed, but that of a sum of equal values, which is a product. */
#ifndef TDC_REWRITE_H
#define TDC_REWRITE_H

#include "ir/poly/poly.h"

/* An operator, cast or selection of constants as a constant; NULL where it is none, is undefined, or has a value that
 * depends on a library of mathematics. */
const Expr *expr_fold(Graph *g, const Expr *e);
/* A reduction over a variable that nothing in it depends on without that variable; NULL where there is none, or the
 * monoid is neither a sum nor idempotent (idle.c). */
const Expr *expr_without_idle(const PolyEnv *env, const Expr *e);
/* Of an inout's piece: elements that keep their values are none of it, where these are whole rows or lie behind the end
 * of a range (kept.c). True where there were some. */
bool kept_leave_out(const PolyEnv *env, const Tensor *t, Piece *p);
/* Whether a value of type `from` keeps its value as `to`. */
bool type_holds(Type to, Type from);

/* e with no rule left to apply, of the same type; `env` says what is known where it stands. */
const Expr *expr_simplify(Graph *g, const PolyEnv *env, const Expr *e);
/* All definitions and facts, each under the guards around it and the Graph's requirements. False: nothing changed. */
bool graph_simplify(Graph *g);

#endif
