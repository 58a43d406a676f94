// Functions of numbers: floats within the language's bounds of error (docs/language.md, 9.9), their fast forms, random numbers.

//@ td_max
// NaN wins; of zeros the positive one.
template <class T> __device__ __forceinline__ T td_max(T a, T b) { return a > b ? a : b; }
__device__ __forceinline__ double td_max(double a, double b) {
    if (a != a || a > b) return a;
    if (b != b || a < b) return b;
    return __longlong_as_double(__double_as_longlong(a) & __double_as_longlong(b));
}
__device__ __forceinline__ float td_max(float a, float b) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}
//@ td_min
// NaN wins; of zeros the negative one.
template <class T> __device__ __forceinline__ T td_min(T a, T b) { return a < b ? a : b; }
__device__ __forceinline__ double td_min(double a, double b) {
    if (a != a || a < b) return a;
    if (b != b || a > b) return b;
    return __longlong_as_double(__double_as_longlong(a) | __double_as_longlong(b));
}
__device__ __forceinline__ float td_min(float a, float b) {
    float r;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}

//@ td_max2 td_min2
// Two packed 16-bit floats at once; NaN wins.
#define TD_PAIRWISE(name, op)                                                                                \
    template <class T> __device__ __forceinline__ uint32_t name(uint32_t a, uint32_t b) {                    \
        uint32_t r;                                                                                          \
        if constexpr (std::is_same<T, td_f16>::value) asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); \
        else asm(op ".bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                                       \
        return r;                                                                                            \
    }
TD_PAIRWISE(td_max2, "max.NaN")
TD_PAIRWISE(td_min2, "min.NaN")

//@ td_abs
__device__ __forceinline__ float td_abs(float x) { return fabsf(x); }
__device__ __forceinline__ double td_abs(double x) { return fabs(x); }
__device__ __forceinline__ int32_t td_abs(int32_t x) { return x < 0 ? (int32_t)(0u - (uint32_t)x) : x; }
__device__ __forceinline__ int64_t td_abs(int64_t x) { return x < 0 ? (int64_t)(0u - (uint64_t)x) : x; }
__device__ __forceinline__ uint32_t td_abs(uint32_t x) { return x; }
//@ td_sign
template <class T> __device__ __forceinline__ T td_sign(T x) {
    if constexpr (!std::is_signed<T>::value) return x > T(0) ? T(1) : T(0);
    else return x > T(0) ? T(1) : x < T(0) ? T(-1) : x != x ? x : T(0);
}

//@ TD_MATH
#define TD_MATH(name, f32, f64)                                               \
    __device__ __forceinline__ float name(float x) { return f32(x); }         \
    __device__ __forceinline__ double name(double x) { return f64(x); }
//@ td_floor
TD_MATH(td_floor, floorf, floor)
//@ td_ceil
TD_MATH(td_ceil, ceilf, ceil)
//@ td_round_even
TD_MATH(td_round_even, rintf, rint)
//@ td_trunc
TD_MATH(td_trunc, truncf, trunc)
//@ td_sqrt
TD_MATH(td_sqrt, sqrtf, sqrt)
//@ td_rsqrt
TD_MATH(td_rsqrt, rsqrtf, rsqrt)
//@ td_exp
TD_MATH(td_exp, expf, exp)
//@ td_exp2
TD_MATH(td_exp2, exp2f, exp2)
//@ td_expm1
TD_MATH(td_expm1, expm1f, expm1)
//@ td_log
TD_MATH(td_log, logf, log)
//@ td_log2
TD_MATH(td_log2, log2f, log2)
//@ td_log10
TD_MATH(td_log10, log10f, log10)
//@ td_log1p
TD_MATH(td_log1p, log1pf, log1p)
//@ td_sin
TD_MATH(td_sin, sinf, sin)
//@ td_cos
TD_MATH(td_cos, cosf, cos)
//@ td_tan
TD_MATH(td_tan, tanf, tan)
//@ td_asin
TD_MATH(td_asin, asinf, asin)
//@ td_acos
TD_MATH(td_acos, acosf, acos)
//@ td_atan
TD_MATH(td_atan, atanf, atan)
//@ td_sinh
TD_MATH(td_sinh, sinhf, sinh)
//@ td_cosh
TD_MATH(td_cosh, coshf, cosh)
//@ td_tanh
TD_MATH(td_tanh, tanhf, tanh)
//@ td_asinh
TD_MATH(td_asinh, asinhf, asinh)
//@ td_acosh
TD_MATH(td_acosh, acoshf, acosh)
//@ td_atanh
TD_MATH(td_atanh, atanhf, atanh)
//@ td_erf
TD_MATH(td_erf, erff, erf)
//@ td_erfc
TD_MATH(td_erfc, erfcf, erfc)
//@ td_lgamma
// Of f32 below 0 through f64: lgammaf loses all digits near the zeros there.
__device__ __forceinline__ float td_lgamma(float x) { return x < 0.0f ? (float)lgamma((double)x) : lgammaf(x); }
__device__ __forceinline__ double td_lgamma(double x) { return lgamma(x); }
//@ td_atan2
__device__ __forceinline__ float td_atan2(float y, float x) { return atan2f(y, x); }
__device__ __forceinline__ double td_atan2(double y, double x) { return atan2(y, x); }
//@ td_pow
__device__ __forceinline__ float td_pow(float x, float y) { return powf(x, y); }
__device__ __forceinline__ double td_pow(double x, double y) { return pow(x, y); }
//@ td_fma
__device__ __forceinline__ float td_fma(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double td_fma(double a, double b, double c) { return fma(a, b, c); }
//@ td_sigmoid
// e / (1 + e) of e = exp(-|x|), or 1 / (1 + e): nothing overflows, and a small result keeps its denormals.
__device__ __forceinline__ float td_sigmoid(float x) {
    const float e = expf(-fabsf(x));
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(1.0f + e));
    return (x >= 0.0f ? 1.0f : e) * r;
}
__device__ __forceinline__ double td_sigmoid(double x) {
    const double e = exp(-fabs(x));
    return (x >= 0.0 ? 1.0 : e) / (1.0 + e);
}
//@ td_divisor td_divisor_scaled td_divisor_of td_divisor_whole td_divisor_by td_divide
// Division without branches, within 1 ulp: 1 / (z * scale) in two parts of one sign, so that infinities and zeros come out as
// of a / z. The scale keeps what is done with very large and very small z from under- and overflowing.
struct td_divisor { float scale, high, low; };
__device__ __forceinline__ td_divisor td_divisor_scaled(float z, float scale) {
    td_divisor d;
    d.scale = scale;
    const float y = z * d.scale;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(d.high) : "f"(y));
    d.high *= 1.0f - 0x1p-21f; // below 1 / y, so that what is left of 1 is positive
    const float left = fmaf(-d.high, y, 1.0f);
    d.low = left > 0.0f ? left * d.high : d.high;
    return d;
}
__device__ __forceinline__ td_divisor td_divisor_of(float z) {
    return td_divisor_scaled(z, fabsf(z) > 0x1p100f ? 0x1p-64f : fabsf(z) < 0x1p-100f ? 0x1p64f : 1.0f);
}
// Of a whole number, which needs no scale: 0, too, as zeros stay zeros under one.
__device__ __forceinline__ td_divisor td_divisor_whole(float z) { return td_divisor_scaled(z, 1.0f); }
// The parts of a constant that needs none.
__device__ __forceinline__ td_divisor td_divisor_by(float, float high, float low) { return {1.0f, high, low}; }
__device__ __forceinline__ float td_divide(float a, const td_divisor &d) {
    const float b = a * d.scale;
    return fmaf(b, d.high, b * d.low);
}
//@ td_fast_div
__device__ __forceinline__ float td_fast_div(float a, float b) { return __fdividef(a, b); }
//@ TD_FAST TD_FAST_ASM
// What `option math = fast` allows: one instruction of the special function unit, or two.
#define TD_FAST(name, f) \
    __device__ __forceinline__ float name(float x) { return f; }
#define TD_FAST_ASM(name, op)                                   \
    __device__ __forceinline__ float name(float x) {            \
        float r;                                                \
        asm(op ".approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));   \
        return r;                                               \
    }
//@ td_fast_sqrt
TD_FAST_ASM(td_fast_sqrt, "sqrt")
//@ td_fast_rsqrt
TD_FAST_ASM(td_fast_rsqrt, "rsqrt")
//@ td_under_exp2
// Off by at most 2^-16 of the result; of numbers below 0 by at most 2 units in the last place of 1. Tiny results are 0.
TD_FAST_ASM(td_under_exp2, "ex2")
//@ td_under_exp
__device__ __forceinline__ float td_under_exp(float x) { return td_under_exp2(x * 1.44269504f); }
//@ td_under_sigmoid
// Off by at most 2^-16 of the result; results below the least normal number are 0.
__device__ __forceinline__ float td_under_sigmoid(float x) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(1.0f + td_under_exp(-x)));
    return r;
}
//@ td_fast_exp
TD_FAST(td_fast_exp, __expf(x))
//@ td_fast_exp2
TD_FAST_ASM(td_fast_exp2, "ex2")
//@ td_fast_log
TD_FAST(td_fast_log, __logf(x))
//@ td_fast_log2
TD_FAST(td_fast_log2, __log2f(x))
//@ td_fast_log10
TD_FAST(td_fast_log10, __log10f(x))
//@ td_fast_sin
TD_FAST(td_fast_sin, __sinf(x))
//@ td_fast_cos
TD_FAST(td_fast_cos, __cosf(x))
//@ td_fast_tan
TD_FAST(td_fast_tan, __tanf(x))
//@ td_fast_tanh
__device__ __forceinline__ float td_fast_tanh(float x) {
    float r;
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
//@ td_fast_sigmoid
__device__ __forceinline__ float td_fast_sigmoid(float x) {
    float r;
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(0.5f * x));
    return fmaf(r, 0.5f, 0.5f);
}
//@ td_fast_pow
__device__ __forceinline__ float td_fast_pow(float x, float y) { return __powf(x, y); }
//@ portable td_digamma
// Recurrence up to 12, then the asymptotic series in 1/x^2 (Abramowitz and Stegun 6.3.5, 6.3.18); reflection below 0 (6.3.7).
__device__ inline double td_digamma(double x) {
    double s = 0.0;
    if (x == 0.0) return copysign(INFINITY, -x);
    if (x < 0.0) {
        if (floor(x) == x) return NAN;
        s = -3.14159265358979323846 / tan(3.14159265358979323846 * (x - rint(x)));
        x = 1.0 - x;
    }
    for (; x < 12.0; x += 1.0) s -= 1.0 / x;
    const double q = 1.0 / (x * x);
    return s + (log(x) - 0.5 / x - q * (1.0 / 12 - q * (1.0 / 120 - q * (1.0 / 252 - q * (1.0 / 240 - q * (1.0 / 132 - q * (691.0 / 32760 - q / 12)))))));
}
__device__ inline float td_digamma(float x) { return (float)td_digamma((double)x); }
//@ portable td_random
// Philox4x32-10: key seed, counter (counter / 4, stream), word counter mod 4, of which the top 24 bits count. Calls whose
// counters share a quarter share the rounds.
struct td_philox {
    uint32_t w[4];
};
__device__ __forceinline__ td_philox td_philox_of(int64_t seed, int64_t stream, int64_t place) {
    uint32_t a = (uint32_t)place, b = (uint32_t)((uint64_t)place >> 32);
    uint32_t c = (uint32_t)stream, d = (uint32_t)((uint64_t)stream >> 32);
    uint32_t k = (uint32_t)seed, q = (uint32_t)((uint64_t)seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const uint64_t x = (uint64_t)a * 0xD2511F53u, y = (uint64_t)c * 0xCD9E8D57u;
        a = (uint32_t)(y >> 32) ^ b ^ k;
        b = (uint32_t)y;
        c = (uint32_t)(x >> 32) ^ d ^ q;
        d = (uint32_t)x;
        k += 0x9E3779B9u;
        q += 0xBB67AE85u;
    }
    return td_philox{{a, b, c, d}};
}
__device__ __forceinline__ float td_uniform(const td_philox &p, int64_t counter) {
    const int lane = (int)(counter & 3);
    const uint32_t w = lane & 2 ? (lane & 1 ? p.w[3] : p.w[2]) : (lane & 1 ? p.w[1] : p.w[0]);
    return (float)(w >> 8) * 0x1p-24f;
}
__device__ __forceinline__ float td_random(int64_t seed, int64_t stream, int64_t counter) {
    return td_uniform(td_philox_of(seed, stream, counter >> 2), counter);
}
// The same where a thread asks for one seed and stream again and again: neighbouring counters share the rounds, which
// alone would keep a kernel from the speed of memory. The branch is taken by whole warps where rows start alike.
struct td_philox_last {
    td_philox p;
    int64_t place;
    bool any = false;
};
__device__ __forceinline__ float td_random(td_philox_last &last, int64_t seed, int64_t stream, int64_t counter) {
    const int64_t place = counter >> 2;
    if (!last.any || last.place != place) {
        last.p = td_philox_of(seed, stream, place);
        last.place = place;
        last.any = true;
    }
    return td_uniform(last.p, counter);
}
//@ portable td_isnan
template <class T> __device__ __forceinline__ bool td_isnan(T x) { return x != x; }
//@ portable td_isinf
template <class T> __device__ __forceinline__ bool td_isinf(T x) { return x == T(INFINITY) || x == T(-INFINITY); }
//@ portable td_isfinite
template <class T> __device__ __forceinline__ bool td_isfinite(T x) { return x - x == T(0); }
//@ portable td_mod
// Of floats: the remainder that goes with a quotient rounded toward minus infinity.
template <class T> __device__ __forceinline__ T td_mod(T a, T b) {
    const T m = fmod(a, b);
    return m == T(0) ? copysign(T(0), b) : (m < T(0)) != (b < T(0)) ? m + b : m;
}
