/* Exact algebra: numbers in place of floats for which sums may be taken in any order, products be distributed, and
 * exponentials of sums be split, without a bit changing. A schedule may reorder, split and rescale; with such numbers
 * it must give the reference interpreter's bits. backend_cuda/emu/README.md says why each law holds; the stand-in
 * computes the same on its own (backend_cuda/emu/td_exact.h), and tests/exact compares the two.
 *
 * A number is a code in 0..modulus, kept in an int64_t. */
#ifndef TDC_EXACT_H
#define TDC_EXACT_H

#include "interp.h"

/* EXACT_RING: integers modulo 2^bits. EXACT_FIELD: pairs modulo primes p and q with p = 2 q + 1, kept as the one number
 * modulo p q that has these remainders; division is division. */
typedef enum ExactKind { EXACT_NONE, EXACT_RING, EXACT_FIELD } ExactKind;

typedef struct Exact {
    ExactKind kind;
    int bits;         /* of the narrowest float that is to hold a code: 8, 16 or 32 */
    uint64_t modulus; /* at most 2^bits */
    uint64_t q;       /* EXACT_FIELD: the smaller prime */
    uint64_t base;    /* exp2(x) is its power x */
    uint64_t log2e;   /* exp(x) is exp2(log2e * x) */
} Exact;

Exact exact_algebra(ExactKind kind, int bits);
/* The bits of the narrowest float type in a Graph, at most 32. */
int exact_bits(const Graph *g);

int64_t exact_from_int(const Exact *x, int64_t v);
/* A constant or scalar: homomorphic for integers below 2^53 and small fractions, in a field for every f32. */
int64_t exact_from_float(const Exact *x, double v);
/* As a signed number, nearest to 0, which is what comparisons see; truncated to the range of an integer type. */
int64_t exact_to_int(const Exact *x, Type t, int64_t a);
/* A float operator; comparisons and tests give 0 or 1. */
int64_t exact_op(const Exact *x, Op op, int64_t a, int64_t b, int64_t c);
int64_t exact_random(const Exact *x, int64_t seed, int64_t stream, int64_t counter);
/* Whether a is greater than b in the order of signed numbers. */
bool exact_greater(const Exact *x, int64_t a, int64_t b);
/* Whether the stand-in evaluates the operator as this does: false for those in README.md's list of exemptions. */
bool exact_has(Op op);

/* Elements of a float tensor: the code in the low bits of the element. What lies there without being a code, a constant
 * of 64 bits that the host passed, is taken as the constant; -1 where bits are set that no code has. */
int64_t exact_get(const Exact *x, const HostTensor *h, int64_t i);
void exact_put(HostTensor *h, int64_t i, int64_t code);

#endif
