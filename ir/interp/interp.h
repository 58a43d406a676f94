/* The reference interpreter: what the equations of a Graph say, evaluated exactly as written and before any rewrite.
 *
 * Floats are computed in f64 (reductions in long double) and rounded only where the language declares it: inputs and
 * scalars by their types, a tensor that `rounds`, outputs and inouts, casts. Integers are computed in 64 bits and wrap
 * to their declared width. `if`, `&&`, `||` and guards are lazy. It shares no code with the lowering, so that the two
 * can judge each other. */
#ifndef TDC_INTERP_H
#define TDC_INTERP_H

#include "ir/graph.h"

/* A tensor in the memory layout of the C interface: dense, row-major, native storage of its type (bool 1 byte, f16,
 * bf16 and f8 as their bits, i4 and u4 two to a byte, low half first). */
typedef struct HostTensor {
    Type type;
    int rank;
    int64_t shape[MAX_RANK];
    int64_t n;    /* elements */
    size_t bytes; /* of data */
    void *data;
} HostTensor;

/* ---- numbers (interp_num.c) ---- */
/* A float format: significand bits with the hidden one, least normal exponent, largest finite value. */
typedef struct NumFormat {
    int precision, emin, exp_bits;
    double max;
    bool saturates;
} NumFormat;
NumFormat num_format(Type t);
/* v rounded to a float type: to nearest even; f8 saturates (infinities too); f16, bf16, f32 overflow to infinity. */
double num_round(Type t, double v);
double num_from_int(Type t, int64_t v);                           /* an integer rounded once to a float type */
double num_random(int64_t seed, int64_t stream, int64_t counter); /* the language's random */
int64_t num_wrap(Type t, int64_t v);  /* an integer modulo the width of an integer type; bool: v != 0 */
int64_t num_to_int(Type t, double v); /* truncates, saturates, NaN to 0; bool: v != 0 */
/* a op b of integers or bools, exactly; false for other operators, beyond 64 bits, and for division by zero. */
int64_t num_int_min(Type t);
int64_t num_int_max(Type t);
/* The bits of a value that `t` represents, and back. For floats of 16 and 8 bits. */
uint16_t num_encode(Type t, double v);
double num_decode(Type t, uint16_t bits);

size_t host_bytes(Type t, int64_t n); /* of n elements; two 4-bit ones to a byte */
/* Makes zeroed storage; false where n or the bytes overflow or a dimension is negative. */
bool host_tensor(Ctx *ctx, HostTensor *h, Type t, int rank, const int64_t *shape);
double host_float(const HostTensor *h, int64_t i);
int64_t host_int(const HostTensor *h, int64_t i); /* integers and bool */
void host_put_float(HostTensor *h, int64_t i, double v);
void host_put_int(HostTensor *h, int64_t i, int64_t v);

/* ---- evaluation ---- */
/* An integer or bool expression of dimensions, scalars and constants. False where it holds anything else, overflows or
 * divides by zero. dims and scalars are in the order of the graph; scalars may be NULL. */
bool interp_int(const Graph *g, const Expr *e, const int64_t *dims, const double *scalars, int64_t *v);
/* The shape of a tensor and its number of elements; false after saying why. */
bool interp_shape(const Graph *g, const Tensor *t, const int64_t *dims, int64_t *shape, int64_t *n, Text *why);

/* The value of one tensor of the result. Exactly one of f and i is set, by the class of the type; in exact algebra i,
 * which holds codes where the type is a float. */
typedef struct InterpValue {
    const Tensor *tensor;
    int64_t n;
    double *f;
    int64_t *i;
} InterpValue;

/* How float comparisons, argmax, argmin, floor, ceil, round, trunc and conversions to integers see their operands: the
 * exact value, or rounded to f32 and moved to a neighbour. An integer result may differ from the reference only where
 * one of these does. NUDGE_NOISE + k, k = 0, 1, ...: every float that is computed is rounded to its type, or off by a
 * few units in the last place, in another way for each k; how far results move says how far a right kernel's may be
 * from the reference. */
typedef enum InterpNudge { NUDGE_NONE, NUDGE_ROUND, NUDGE_DOWN, NUDGE_UP, NUDGE_NOISE } InterpNudge;

/* What a Graph is run with. */
typedef struct InterpArgs {
    const int64_t *dims; /* dims and scalars in the order of the graph; scalars may be NULL */
    const double *scalars;
    const HostTensor *params; /* for each of g->params the input or the old value of the inout; outputs are ignored */
} InterpArgs;

/* `results` receives one value a parameter (inputs: no data), allocated from ctx. False after saying why: a load out of
 * range, an element that nothing defines or two equations define, a size too large. */
bool interp_run(Ctx *ctx, const Graph *g, const InterpArgs *args, InterpNudge nudge, InterpValue *results, Text *why);

/* The same in exact algebra (exact.h): float tensors of `params` hold codes, constants and scalars become numbers. */
struct Exact;
bool interp_exact(Ctx *ctx, const Graph *g, const InterpArgs *args, const struct Exact *exact, InterpValue *results,
                  Text *why);

/* Whether a fact holds for all values of its variables: false after saying where it does not. Of an inout it sees the
 * old value; what it says of other definitions is worked out for it. */
bool interp_fact(Ctx *ctx, const Graph *g, const Fact *fact, const int64_t *dims, const double *scalars,
                 const HostTensor *params, Text *why);

#endif
