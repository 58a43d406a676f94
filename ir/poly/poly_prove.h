/* What the files of normal forms (poly.c, poly_of.c) and those of bounds and proofs (poly_prove.c, poly_*.c) share.
 * They call each other: a quotient simplifies where a bound is proved, and bounds are polynomials. `level` counts the
 * turns, which PROVE_LEVELS ends. */
#ifndef TDC_POLY_PROVE_H
#define TDC_POLY_PROVE_H

#include "poly.h"

enum { PROVE_LEVELS = 2, POLY_MAX_TERMS = 320 };

/* symbol is modulus * quotient + rest, with 0 <= rest < modulus, by a fact such as `N % 8 == 0`. */
typedef struct PolyResidue {
    const Expr *symbol, *quotient; /* the quotient is symbol / modulus */
    int64_t modulus, rest;
} PolyResidue;

/* What the facts say of remainders (ir/poly/poly_residue.c), in env->ctx; false: nothing. */
bool poly_residues(PolyEnv *env, int level);
const PolyResidue *poly_residue_of(const PolyEnv *env, const Expr *symbol);
const PolyResidue *poly_residue_by(const PolyEnv *env, const Expr *quotient);
Poly poly_by_residue(Ctx *ctx, const PolyResidue *r); /* modulus * quotient + rest */

/* poly_of inside a proof: from PROVE_LEVELS on nothing more is proved on the way. */
Poly poly_of_at(const PolyEnv *env, const Expr *e, int level);
/* The polynomial of an operand of a canonical quotient: nothing in it is left to simplify. */
Poly poly_flat(Graph *g, Ctx *ctx, const Expr *e);
Poly poly_failed(void);
int64_t poly_constant(Poly p); /* its constant term */
/* Sorts, merges and drops zeros; the array becomes the polynomial's. */
Poly poly_make(Ctx *ctx, PolyTerm *t, int n);
Poly poly_atom(Ctx *ctx, const Expr *atom);
/* p with every factor `atom` of its terms replaced by q. */
Poly poly_subst(Ctx *ctx, Poly p, const Expr *atom, Poly q);
/* A lower bound of p that is at least `target` if such a one is found, else one that was found; INT64_MIN: none. */
int64_t poly_lower(const PolyEnv *env, Poly p, int64_t target, int fuel, int level);
bool poly_nonneg_at(const PolyEnv *env, Poly p, int level);
/* cond_truth where no divisor is 0. */
int poly_truth(const PolyEnv *env, const Expr *cond);
/* Whether the truth of cond, found so, holds where divisors in it, in the facts and in ranges are 0. */
bool poly_holds_at_zero(const PolyEnv *env, const Expr *cond, int truth);
/* Whether some values of what p depends on make p < target. False: no such example was found. */
bool poly_refuted(const PolyEnv *env, Poly p, int64_t target);
/* The atoms of whole without those of part, with coefficient 1; false where part does not divide it. */
bool term_divide(const PolyTerm *whole, const PolyTerm *part, PolyTerm *quotient);
bool term_multiply(const PolyTerm *a, const PolyTerm *b, PolyTerm *r); /* false: overflow, degree */

typedef struct Interval {
    int64_t lo, hi; /* INT64_MIN, INT64_MAX: none */
} Interval;

/* What ranges alone say, without proofs. */
Interval interval_of(const PolyEnv *env, const Expr *e);
Interval interval_of_poly(const PolyEnv *env, Poly p);
Interval interval_of_dim(const Dim *d);
int64_t bound_negated(int64_t v); /* -v, where the two ends mean no bound */
/* The range of an atom as expressions: what the environment says, else what a variable says; lo <= atom <= hi
 * (exclusive: < hi). */
bool poly_atom_range(const PolyEnv *env, const Expr *e, const Expr **lo, const Expr **hi, bool *exclusive);

#endif
