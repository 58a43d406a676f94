/* The normal form of float arithmetic: a sum of terms, each a constant times atoms. Constants are kept to six digits,
 * so that sqrt(2/pi) and 0.79788456 are the same; sigmoid(u) is 0.5 + 0.5 * tanh(0.5 * u); a quotient by a constant or
 * by what the host knows is a factor. Two expressions with one normal form compute the same up to the rounding of their
 * steps. For matching alone: what is emitted is never made from it. */
#ifndef TDC_NORMAL_H
#define TDC_NORMAL_H

#include "ir/graph.h"

enum { NORMAL_TERMS = 24, NORMAL_DEGREE = 8 };

typedef struct NormalTerm {
    double coef;
    int degree;
    const Expr *atom[NORMAL_DEGREE]; /* by id, ascending, with repetition */
} NormalTerm;

typedef struct Normal {
    int n;
    NormalTerm *term; /* by their atoms; no coefficient is 0 */
    bool failed;      /* too many terms, too high a degree, or terms that cancel: they need not where there is a NaN */
} Normal;

Normal normal_of(Graph *g, Ctx *ctx, const Expr *e); /* in that memory */
bool normal_equal(const Normal *a, const Normal *b);
#endif
