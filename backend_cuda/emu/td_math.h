/* The prelude's mathematics on the CPU: float functions go through double, so they are correctly rounded but for rare
 * ties. What the prelude marks portable (digamma, floor_div, ...) is in the emitted file itself. */
#ifndef TD_EMU_MATH_H
#define TD_EMU_MATH_H
#include <math.h>
#include <stdint.h>
#include <cmath>
#include <type_traits>

#ifndef TD_EXACT_BITS // which has functions of its own
inline double td_emu_rsqrt(double x) { return 1.0 / sqrt(x); }
inline double td_emu_sigmoid(double x) { return x >= 0 ? 1.0 / (1.0 + exp(-x)) : exp(x) / (1.0 + exp(x)); }
inline double td_emu_lgamma(double x) {
    int sign;
    return lgamma_r(x, &sign); // lgamma itself writes a global
}
#define TD_EMU_MATH2(name, f)                                                                                          \
    inline double td_##name(double x, double y) { return f(x, y); }                                                    \
    inline float td_##name(float x, float y) { return float(f(double(x), double(y))); }
TD_EMU_MATH2(pow, pow)
TD_EMU_MATH2(atan2, atan2)
#undef TD_EMU_MATH2
#define FUNCTION(name, f, exact)                                                                                       \
    inline double td_##name(double x) { return f(x); }                                                                 \
    inline float td_##name(float x) { return float(f(double(x))); }
#define FAST(name)                                                                                                     \
    inline float td_fast_##name(float x) { return td_##name(x); }
#include "functions.def"
/* As the GPU has them: without denormals, of a rounded product. */
inline float td_under_exp2(float x) {
    const float r = float(exp2(double(x)));
    return r < 0x1p-126f ? 0.0f : r;
}
inline float td_under_exp(float x) { return td_under_exp2(x * 1.44269504f); }
inline float td_under_sigmoid(float x) {
    const float r = 1.0f / (1.0f + td_under_exp(-x));
    return r < 0x1p-126f ? 0.0f : r;
}
struct td_divisor {
    float scale, high, low;
};
inline td_divisor td_divisor_scaled(float z, float scale) {
    td_divisor d;
    d.scale = scale;
    const float y = z * d.scale;
    d.high = 1.0f / y * (1.0f - 0x1p-21f);
    const float left = fmaf(-d.high, y, 1.0f);
    d.low = left > 0.0f ? left * d.high : d.high;
    return d;
}
inline td_divisor td_divisor_of(float z) {
    return td_divisor_scaled(z, fabsf(z) > 0x1p100f ? 0x1p-64f : fabsf(z) < 0x1p-100f ? 0x1p64f : 1.0f);
}
inline td_divisor td_divisor_whole(float z) { return td_divisor_scaled(z, 1.0f); }
inline td_divisor td_divisor_by(float, float high, float low) { return {1.0f, high, low}; }
inline float td_divide(float a, const td_divisor &d) {
    const float b = a * d.scale;
    return fmaf(b, d.high, b * d.low);
}
inline float td_fast_div(float a, float b) { return a / b; }
inline float td_fast_pow(float x, float y) { return td_pow(x, y); }
inline double td_fma(double a, double b, double c) { return fma(a, b, c); }
inline float td_fma(float a, float b, float c) { return fmaf(a, b, c); }
#endif

template <class T> inline T td_max(T a, T b) {
    if (a != a) return a;
    if (b != b) return b;
    if constexpr (std::is_floating_point<T>::value)
        if (a == b) return std::signbit(a) ? b : a; // +0 wins over -0
    return a > b ? a : b;
}
template <class T> inline T td_min(T a, T b) {
    if (a != a) return a;
    if (b != b) return b;
    if constexpr (std::is_floating_point<T>::value)
        if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
template <class T> inline T td_abs(T a) {
    if constexpr (std::is_floating_point<T>::value)
        return T(fabs(a));
    else if constexpr (std::is_unsigned<T>::value)
        return a;
    else
        return a < 0 ? T(typename std::make_unsigned<T>::type(0) - typename std::make_unsigned<T>::type(a)) : a;
}
template <class T> inline T td_sign(T a) {
    if (a != a) return a;
    return a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
}
#endif
