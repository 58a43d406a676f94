/* What each operator of ir/ulp.def is, in long double: reference_EXP and so on, of the type's numbers (0: f32, 1:
 * f64). */
#ifndef ULP_REFERENCE_H
#define ULP_REFERENCE_H
#include <math.h>

typedef long double (*reference)(int type, long double x, long double y, long double z);

#define REFERENCE(name, value)                                                                                         \
    static long double reference_##name(int type, long double x, long double y, long double z) {                       \
        (void)type, (void)y, (void)z;                                                                                  \
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

static long double reference_lgamma(long double x) {
    int sign;
    return lgammal_r(x, &sign);
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

static long double reference_fma(int type, long double x, long double y, long double z) {
    return type ? fma((double)x, (double)y, (double)z) : x * y + z;
}

static long double reference_sigmoid(long double x) { return x >= 0 ? 1 / (1 + expl(-x)) : expl(x) / (1 + expl(x)); }

REFERENCE(ADD, x + y)
REFERENCE(SUB, x - y)
REFERENCE(MUL, x *y)
REFERENCE(DIV, x / y)
REFERENCE(MOD, reference_mod(x, y))
REFERENCE(NEG, -x)
REFERENCE(POW, powl(x, y))
REFERENCE(MIN, reference_extreme(x, y, 0))
REFERENCE(MAX, reference_extreme(x, y, 1))
REFERENCE(ABS, fabsl(x))
REFERENCE(SIGN, isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : 0)
REFERENCE(FLOOR, floorl(x))
REFERENCE(CEIL, ceill(x))
REFERENCE(ROUND, rintl(x))
REFERENCE(TRUNC, truncl(x))
REFERENCE(SQRT, sqrtl(x))
REFERENCE(RSQRT, 1 / sqrtl(x))
REFERENCE(EXP, expl(x))
REFERENCE(EXP2, exp2l(x))
REFERENCE(EXPM1, expm1l(x))
REFERENCE(LOG, logl(x))
REFERENCE(LOG2, log2l(x))
REFERENCE(LOG10, log10l(x))
REFERENCE(LOG1P, log1pl(x))
REFERENCE(SIN, sinl(x))
REFERENCE(COS, cosl(x))
REFERENCE(TAN, tanl(x))
REFERENCE(ASIN, asinl(x))
REFERENCE(ACOS, acosl(x))
REFERENCE(ATAN, atanl(x))
REFERENCE(ATAN2, atan2l(x, y))
REFERENCE(SINH, sinhl(x))
REFERENCE(COSH, coshl(x))
REFERENCE(TANH, tanhl(x))
REFERENCE(ASINH, asinhl(x))
REFERENCE(ACOSH, acoshl(x))
REFERENCE(ATANH, atanhl(x))
REFERENCE(ERF, erfl(x))
REFERENCE(ERFC, erfcl(x))
REFERENCE(LGAMMA, reference_lgamma(x))
REFERENCE(DIGAMMA, reference_digamma(x))
REFERENCE(SIGMOID, reference_sigmoid(x))
REFERENCE(FMA, reference_fma(type, x, y, z))
#endif
