/* What is known where an expression stands: the conditions around it, what the shapes imply, the Graph's facts, and the
 * definitions of integer tensors that are loaded. Questions of integer expressions are answered from all of it; "not
 * proved" is always an answer. */
#ifndef TDC_KNOWN_H
#define TDC_KNOWN_H

#include "poly.h"

typedef struct Known {
    Graph *g;
    ExprVec path;   /* conditions that hold at the place in question */
    ExprVec shapes; /* and everywhere, by the shapes of parameters */
} Known;

Known *known_new(Graph *g); /* where nothing but the Graph's facts is known */
/* Enters a place where cond (NULL: nothing more) holds, or does not; the result is for known_pop, which leaves it. */
int known_push(Known *k, const Expr *cond, bool holds);
void known_pop(Known *k, int mark);
/* Pushes the conditions that all hold where c does, or where it does not; integer comparisons are widened to i64.
 * depth: 0. */
void known_conjuncts(Known *k, const Expr *c, bool holds, ExprVec *out, int depth);

bool known_nonneg(Known *k, const Expr *e);               /* e >= 0 */
int known_truth(Known *k, const Expr *cond);              /* 1: true, 0: false, -1: unknown */
bool known_equal(Known *k, const Expr *a, const Expr *b); /* for all values of what they use */
bool known_unreachable(Known *k);                         /* nothing meets the conditions of the path */
/* Looks for small values under which e < 0 though everything known holds; writes them as "N = 1, i = 0". The second
 * also computes value[0..n-1] for them into is[]. */
bool known_refute(Known *k, const Expr *e, Text *why);
bool known_refute_with(Known *k, const Expr *e, Text *why, const Expr *const *value, int64_t *is, int n);

const Expr *known_guard_divisions(Known *k, const Expr *e); /* expr_guard_divisions at this place */
/* e with the integer tensors that it loads, and those that their definitions load, written in. */
const Expr *known_written_in(Known *k, const Expr *e);

bool known_is_small(const Expr *e); /* written out it has few nodes: proofs are tried on it */
bool known_uses(const Expr *e, const Expr *what);
bool known_uses_data(const Expr *e); /* a load or a reduction stands in it */

#endif
