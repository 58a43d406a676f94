/* The value of an integer expression or a condition where what stands at its leaves is known. Who asks says what the
 * leaves are, and what becomes of a result that does not fit: the arithmetic is the same for all.
 *
 * Apart from it, on purpose:
 *   interp_exec.c, the interpreter's instructions: it judges what is emitted, and shares no arithmetic with what emits
 *   poly_of.c, poly_interval.c, hull.c: of polynomials, intervals and ranges, not of numbers
 *   expr_fold (fold.c) of sums, products and shifts: it wraps at 64 bits, where here there is no value
 *   glue_host.c: it prints what the host computes */
#ifndef TDC_INT_VALUE_H
#define TDC_INT_VALUE_H

#include "graph.h"

/* a op b, or op a for operators of one operand, in 64 bits; 0 for quotients and remainders by 0. False: the result does
 * not fit, or op is no operator on integers. Comparisons are 0 or 1. */
bool int_value_op(Op op, int64_t a, int64_t b, int64_t *v);

typedef enum IntFit {
    INT_FIT_64,       /* what leaves 64 bits has no value; narrower types are not looked at */
    INT_FIT_TYPE,     /* what leaves its type has no value, but casts wrap */
    INT_FIT_WRAPS,    /* what leaves its type wraps, as when it runs; what leaves 64 bits has no value */
    INT_FIT_SATURATES /* what leaves 64 bits is INT64_MAX; narrower types are not looked at */
} IntFit;

typedef enum IntLeaf { INT_LEAF_KNOWN, INT_LEAF_UNKNOWN, INT_LEAF_INSIDE /* by its operands */ } IntLeaf;

typedef struct IntValue {
    /* Of any node but a constant: its value, that it has none, or that its operands give it. Loads, reductions and
     * leaves that are INT_LEAF_INSIDE have none. NULL: INT_LEAF_INSIDE always. */
    IntLeaf (*leaf)(void *user, const Expr *e, int64_t *v);
    void *user;
    IntFit fit;
    bool positive; /* quotients and remainders have values only for divisors above 0 */
    int left;      /* nodes that may still be visited, counted as the expression is written out; beyond: no value */
} IntValue;

/* False where there is none. Of && || and `if` only what is needed must have one. */
bool int_value(IntValue *x, const Expr *e, int64_t *v);

#endif
