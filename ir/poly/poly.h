/* Polynomials with integer coefficients over atoms: the canonical form of index arithmetic. An atom is any integer
 * expression that is not +, -, * or a constant (a variable, a dimension, a factor, a floor division, a remainder, a
 * load). Floor divisions and remainders are simplified on the way where ranges and divisibility allow: (g*K + k) / K =
 * g for 0 <= k < K, nested quotients, common divisors. Equal functions of that kind get equal polynomials. */
#ifndef TDC_POLY_H
#define TDC_POLY_H

#include "ir/graph.h"

enum { POLY_MAX_DEGREE = 16 };

typedef struct PolyTerm {
    int64_t coef; /* never 0 */
    int degree;
    const Expr *atom[POLY_MAX_DEGREE]; /* by id, ascending, with repetition */
} PolyTerm;

typedef struct Poly {
    int n;
    PolyTerm *term; /* a total order; the constant term, if any, is last */
    bool failed;    /* overflow or too high a degree: nothing is known */
} Poly;

/* What is known of atoms: variables have their ranges, dimensions theirs; `range` may say more (NULL: nothing). */
typedef struct PolyEnv {
    Graph *g;
    /* Bounds of an atom as expressions, lo <= atom <= hi (NULL: unknown). Consulted before the built-in knowledge. */
    bool (*range)(void *user, const Expr *atom, const Expr **lo, const Expr **hi);
    void *user;
    const Expr *const *facts; /* bool expressions known to hold */
    int nfacts;
    Ctx *ctx;  /* where polynomials are allocated; NULL: in the Graph's context */
    int *work; /* what a proof and the questions that it asks may still do; NULL: as much as one may */
    /* Inside a proof: symbols of which a remainder is known, which are quotients by it there; elsewhere none. */
    const struct PolyResidue *residue;
    int nresidues;
    /* Of many questions under one environment: what poly_of has answered, in ctx; NULL: nothing is kept. What is known
     * of atoms must not change meanwhile. */
    struct ExprMap *made;
    /* Inside a proof: what interval_of has answered of its atoms, in ctx; elsewhere NULL. */
    struct ExprMap *intervals;
} PolyEnv;

static inline Ctx *poly_ctx(const PolyEnv *env) { return env->ctx ? env->ctx : env->g->ctx; }
/* The same environment with a context of its own, for a question whose polynomials are not kept; the caller ends that
 * with ctx_temp_end(own.ctx). */
PolyEnv poly_scratch(const PolyEnv *env);
/* The same environment where `fact` holds too. */
PolyEnv poly_with_fact(const PolyEnv *env, const Expr *fact);

/* e, an integer expression, in normal form; what is no ring operation becomes an atom. The same value wherever e is
 * defined; `failed` where coefficients overflow or the degree is too high, as with the operations below. */
Poly poly_of(const PolyEnv *env, const Expr *e);
/* Which element of a tensor the subscripts name, counted in row-major order. */
Poly poly_offset(const PolyEnv *env, const Tensor *t, const Expr *const *subs);
Poly poly_const(Ctx *ctx, int64_t v);
Poly poly_add(Ctx *ctx, Poly a, Poly b);
Poly poly_sub(Ctx *ctx, Poly a, Poly b);
Poly poly_mul(Ctx *ctx, Poly a, Poly b);
Poly poly_scale(Ctx *ctx, Poly a, int64_t k);
bool poly_eq(Poly a, Poly b); /* false where one has failed */
bool poly_is_const(Poly p, int64_t *v);
/* p = coef * atom + rest with neither containing atom (not even inside another atom); false if p is not of that
 * form. */
bool poly_linear(Ctx *ctx, Poly p, const Expr *atom, Poly *coef, Poly *rest);
bool poly_uses(Poly p, const Expr *atom); /* anywhere, also inside atoms */
/* The largest known d >= 1 such that d divides p for all values (0 for the zero polynomial), from coefficients and
 * Dim.divisor. */
int64_t poly_divisor(Poly p);
const Expr *poly_expr(Graph *g, Poly p); /* i64; a tidy expression */

/* Conservative bounds over all values of variables and dimensions; INT64_MIN, INT64_MAX where unbounded. */
void poly_bounds(const PolyEnv *env, Poly p, int64_t *lo, int64_t *hi);
bool poly_at_most(const PolyEnv *env, Poly p, int64_t most); /* the upper one of these bounds is */
/* p >= 0 for all values, proved from ranges, dimension bounds and facts. False: not proved. As all answers about a Poly
 * it takes divisors not to be 0; those below do not. */
bool poly_nonneg(const PolyEnv *env, Poly p);
/* p is 0 for no values: it is positive, negative, or between two multiples of something always. */
bool poly_never_zero(const PolyEnv *env, Poly p);
/* The truth of an integer condition: 1 proved true, 0 proved false, -1 unknown. It holds where divisors are 0 too. */
int cond_truth(const PolyEnv *env, const Expr *cond);
bool expr_nonneg(const PolyEnv *env, const Expr *e); /* e >= 0, in the same way */
/* e is not 0 where `where` is evaluated: its variables have values. */
bool expr_never_zero(const PolyEnv *env, const Expr *e, const Expr *where);
bool expr_divides(const PolyEnv *env, const Expr *e); /* integers by other than constants; not inside of loads */
/* Every element that a load's subscripts, of indices alone, name exists, whatever conditions hold. False: not proved,
 * or not where a divisor is 0. */
bool expr_load_inside(const PolyEnv *env, const Expr *load);
/* The same of subscripts that may have data: where those loads exist, whatever they find. */
bool expr_load_within(const PolyEnv *env, const Expr *load);
/* The subscript e with `if d != 0` around its quotients and remainders by a d that may be 0. Offsets are made of normal
 * forms, where (i / d) * d + i % d is i; it is 0 where d is. */
const Expr *expr_guard_divisions(const PolyEnv *env, const Expr *e);

#endif
