/* Conditions that are the same for all elements of a vector: see uniform.c. */
#ifndef TDC_UNIFORM_H
#define TDC_UNIFORM_H

#include "kernel.h"

/* Neighbouring elements: part[i] steps of each of the register factors f[i], from a multiple of part[i] on. */
typedef struct UniformVector {
    int n;
    Factor *const *f;
    const int64_t *part;
} UniformVector;

/* Of dimensions alone; it must be a multiple of `of`. */
typedef struct UniformNeed {
    Poly dims;
    int64_t of;
} UniformNeed;

enum { UNIFORM_NEEDS = 8 };

/* What lengths must be for an answer to hold. */
typedef struct UniformNeeds {
    int n;
    UniformNeed at[UNIFORM_NEEDS];
} UniformNeeds;

/* Whether the truth of a condition cannot differ between the elements of a vector, where *needs holds. Its axes are
 * sums of their factors' digits (expr_factor) already. */
bool uniform_condition(const PolyEnv *env, const Part *part, const Layout *l, const Expr *cond, UniformVector v,
                       UniformNeeds *needs);

/* Whether an atom of an offset is one of two numbers of dimensions, which a condition chooses. */
bool uniform_choice(const Expr *atom);
/* The conditions by which an offset chooses such numbers, which must be the same for all elements of a vector; NULL: it
 * chooses none. */
const Expr *uniform_choosing(Graph *g, Poly offset);

#endif
