/* Monoids: what the reductions and scans of Graphs and kernels fold with. A builtin one is a row of monoids.def, of a
 * type that it folds; others are declared in the text of a Graph or a program:
 *
 *   monoid NAME(a: f32 = 1.0, b: f32 = 0.0) ordered combine (a * a', b * a' + b')
 *
 * says the parts of a state, each with its type and its identity, and what two states combine to: `a` is the left
 * one's part, `a'` the right one's. It must be associative. `ordered`: it does not commute, and is folded in the order
 * of the index. */
#ifndef TDC_MONOID_H
#define TDC_MONOID_H

#include "expr_text.h"
#include "graph.h"

/* The row m of values of type t, with its nodes in g; a declared one itself. Where a row does not fold t it has types
 * alone (verifiers refuse it). */
const Monoid *monoid_of(Graph *g, const Monoid *m, Type t);
/* What a row of one part folds to where there is nothing: of any type of numbers, those too that nothing is computed
 * in. */
const Expr *monoid_identity(Graph *g, MonoidKind kind, Type t);

/* One that the compiler declares, by what follows the name in a declaration; in no Graph's list yet. */
const Monoid *monoid_declare(Graph *g, const char *name, const char *text);
/* n folds of f32 at once, up to MAX_PARTS, each by a row of one part; declared in the same way, once: `sums2` of two
 * sums, `max_sum` of a maximum and a sum. */
const Monoid *monoid_beside(Graph *g, const MonoidKind *of, int n);
/* What combines states as row m of values of type t does, but of which all parts are operands, the index too: to go on
 * with states that were stored. A declared one itself. */
const Monoid *monoid_of_states(Graph *g, const Monoid *m, Type t);

/* ---- text ---- */
/* Reads what follows the word `monoid` and adds it to the Graph. NULL after failing. */
const Monoid *monoid_read(ExprReader *r);
void monoid_print(Text *out, const Monoid *m); /* with the word `monoid`, without an end of line */

/* Whether a declared one is well-formed: its types are computed in, identities and combine have them, and combine reads
 * nothing but operands and constants. */
bool monoid_verify(const Monoid *m, Text *why);

#endif
