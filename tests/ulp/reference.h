/* What each operator of ir/ulp.def is, in long double: reference_EXP and so on. Of one that math.h computes (LIBM in
 * ir/ops.def) it is the function of math.h on long double; the others are written out. */
#ifndef ULP_REFERENCE_H
#define ULP_REFERENCE_H
#include <math.h>

typedef long double (*reference)(long double x, long double y, long double z);

#define REFERENCE(name, value)                                                                                         \
    static long double reference_##name(long double x, long double y, long double z) {                                 \
        (void)x, (void)y, (void)z;                                                                                     \
        return value;                                                                                                  \
    }

static long double reference_mod(long double x, long double y) {
    long double m = fmodl(x, y);
    if (m == 0) return copysignl(0, y);
    return (m < 0) != (y < 0) ? m + y : m;
}

/* NaN wins; of two zeros +0 is the larger. */
static long double reference_extreme(long double x, long double y, int largest) {
    if (isnan(x) || isnan(y)) return NAN;
    if (x == y) return (signbit(x) != 0) == largest ? y : x;
    return (x > y) == largest ? x : y;
}

/* Upward to 40, then the asymptotic series; reflection below 0. */
static long double reference_digamma(long double x) {
    static const long double c[] = {1.0L / 12,  1.0L / 120,     1.0L / 252, 1.0L / 240,
                                    1.0L / 132, 691.0L / 32760, 1.0L / 12,  3617.0L / 8160};
    const long double pi = 3.14159265358979323846264338327950288L;
    long double s = 0, tail = 0, q;
    if (x == 0) return copysignl(INFINITY, -x);
    if (x < 0) {
        if (floorl(x) == x) return NAN;
        s = -pi / tanl(pi * (x - rintl(x)));
        x = 1 - x;
    }
    for (; x < 40; x += 1) s -= 1 / x;
    q = 1 / (x * x);
    for (int i = 7; i >= 0; i--) tail = q * (c[i] - tail);
    return s + (logl(x) - 0.5L / x - tail);
}

static long double reference_sigmoid(long double x) { return x >= 0 ? 1 / (1 + expl(-x)) : expl(x) / (1 + expl(x)); }

REFERENCE(ADD, x + y)
REFERENCE(SUB, x - y)
REFERENCE(MUL, x *y)
REFERENCE(DIV, x / y)
REFERENCE(MOD, reference_mod(x, y))
REFERENCE(NEG, -x)
REFERENCE(MIN, reference_extreme(x, y, 0))
REFERENCE(MAX, reference_extreme(x, y, 1))
REFERENCE(ABS, fabsl(x))
REFERENCE(SIGN, isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : 0)
REFERENCE(ROUND, rintl(x))
REFERENCE(RSQRT, 1 / sqrtl(x))
REFERENCE(DIGAMMA, reference_digamma(x))
REFERENCE(SIGMOID, reference_sigmoid(x))

/* Of a row of ops.def: where its column host is LIBM(exp), a function that returns expl of the arguments, else
 * nothing. */
#define HEAD_NONE(e)
#define HEAD_GLUE(e)
#define HEAD_LIBM(f) HEAD_OF
#define HEAD_OF(e)                                                                                                     \
    static long double reference_##e(long double x, long double y, long double z) {                                    \
        (void)y, (void)z;                                                                                              \
        return
#define CALL_NONE(arity)
#define CALL_GLUE(arity)
#define CALL_LIBM(f) f##l CALL_OF
#define CALL_OF(arity)                                                                                                 \
    CALL_##arity;                                                                                                      \
    }
#define CALL_1 (x)
#define CALL_2 (x, y)
#define CALL_3 (x, y, z)
#define OP(e, text, arity, form, rule, device, host, ...) HEAD_##host(e) CALL_##host(arity)
#include "ir/ops.def"
#undef OP
#endif
