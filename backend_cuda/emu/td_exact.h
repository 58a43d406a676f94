/* Exact algebra (README.md) in place of floats: with TD_EXACT_BITS (8, 16 or 32: of the narrowest float type) the
 * types float, double, td_f16, td_bf16, td_f8e4m3 and td_f8e5m2 of emitted code hold codes of it, modulo 2^bits
 * or, with TD_EXACT_FIELD, modulo p q. All types have their sizes, so that layouts, words, shuffles and copies are as
 * they are.
 *
 * Headers that use floats as such come first: after this one, float and double are names of classes. What
 * defines TD_EXACT_TYPES_ONLY keeps its floats beside them. */
#ifndef TD_EXACT_H
#define TD_EXACT_H
#include <cmath>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <type_traits>

/* ---- the carriers ---- */
namespace td_exact {
typedef uint64_t u64;
#ifdef TD_EXACT_FIELD
constexpr u64 Q = TD_EXACT_BITS == 8 ? 11 : TD_EXACT_BITS == 16 ? 179 : 46229, P = 2 * Q + 1, M = P * Q;
#else
constexpr u64 M = u64(1) << TD_EXACT_BITS;
#endif
constexpr u64 TOP = (M - 1) / 2, BOTTOM = TOP + 1; // the largest and the least of signed numbers

inline u64 add(u64 a, u64 b) { return a + b < M ? a + b : a + b - M; }
inline u64 neg(u64 a) { return a ? M - a : 0; }
inline u64 mul(u64 a, u64 b) { return a * b % M; }
inline int64_t value(u64 a) { return a > TOP ? int64_t(a) - int64_t(M) : int64_t(a); }
inline u64 of_int(int64_t v) {
    const int64_t r = v % int64_t(M);
    return u64(r < 0 ? r + int64_t(M) : r);
}
inline u64 of_int(uint64_t v) { return v % M; }
inline u64 raise(u64 a, u64 n, u64 m) {
    a %= m;
    u64 r = 1;
    while (n) {
        if (n % 2) r = r * a % m;
        a = a * a % m;
        n /= 2;
    }
    return r;
}
#ifdef TD_EXACT_FIELD
/* The number with remainder a modulo P and b modulo Q: P is 1 modulo Q, and Q's inverse modulo P is P - 2. */
inline u64 join(u64 a, u64 b) { return (a * (Q * (P - 2) % M) + b * P) % M; }
inline u64 inv(u64 a) { return join(raise(a, P - 2, P), raise(a, Q - 2, Q)); }
/* Powers of 4, which has order Q modulo P; modulo Q all powers are 1. */
inline u64 exp2(u64 a) { return join(raise(4, a % Q, P), 1); }
inline u64 mix(uint32_t tag, u64 a) {
    const u64 s = add(mul(a, 2654435761u % M), tag % M);
    return mul(s, mul(s, s));
}
#else
inline u64 inv(u64 a) {
    if (!a) return 0;
    const int k = __builtin_ctzll(a);
    const u64 odd = a >> k;
    u64 y = odd; // right in three bits; Newton's steps double them
    for (int i = 0; i < 5; i++) y *= 2 - odd * y;
    return (y << k) % M;
}
inline u64 exp2(u64 a) {
    u64 r = 1, g = 5;
    for (; a; a >>= 1, g = g * g % M)
        if (a & 1) r = r * g % M;
    return r;
}
inline u64 mix(uint32_t tag, u64 a) {
    a = (a * 2654435761u + tag) % M;
    a ^= a >> (TD_EXACT_BITS / 2);
    a = a * 0x85ebca6bu % M;
    return a ^ a >> (TD_EXACT_BITS / 2);
}
#endif

/* ---- constants ---- */
inline u64 of_fraction(float f) { // positive
    uint32_t u;
    memcpy(&u, &f, 4);
#ifdef TD_EXACT_FIELD
    const int e = u >> 23 ? int(u >> 23) - 150 : -149;
    const u64 m = (u & 0x7fffffu) | (u >> 23 ? 0x800000u : 0);
    return mul(m % M, raise(e < 0 ? (M + 1) / 2 : 2, u64(e < 0 ? -e : e), M)); // (M + 1) / 2 is a half
#else
    u ^= u >> 16, u *= 0x85ebca6bu;
    u ^= u >> 13, u *= 0xc2b2ae35u;
    return ((u ^ u >> 16) | 1u) % M;
#endif
}
inline u64 of_float(double v) {
    if (v != v) return M / 3;
    for (int part = 1; part <= 8; part *= 2) {
        const double n = v * part;
        if (n > -0x1p53 && n < 0x1p53 && n == double(int64_t(n))) return mul(of_int(int64_t(n)), inv(u64(part)));
    }
    const float f = float(v);
    if (std::isinf(f)) return f > 0 ? TOP : BOTTOM;
    return f == 0 ? 0 : f < 0 ? neg(of_fraction(-f)) : of_fraction(f);
}

/* ---- functions ---- */
constexpr uint32_t tag(const char *name) {
    uint32_t h = 2166136261u;
    while (*name) h = (h ^ uint32_t(*name++)) * 16777619u;
    return h;
}
inline u64 exp(u64 a) {
    static const u64 log2e = of_float(double(1.44269504f));
    return exp2(mul(a, log2e));
}
inline u64 pair(uint32_t name, u64 a, u64 b) { return mix(name, add(a, mul(5, mix(name, b)))); }
inline u64 pow(u64 a, u64 b) {
    const int64_t n = value(b);
    if (n > 16 || n < -16) return pair(tag("pow"), a, b);
    u64 r = 1;
    for (int64_t i = n < 0 ? -n : n; i > 0; i--) r = mul(r, a);
    return n < 0 ? inv(r) : r;
}
} // namespace td_exact

/* ---- the types ---- */
struct td_real64;
struct td_real32 {
    uint32_t code;
    td_real32() = default;
    td_real32(float v) : code(uint32_t(td_exact::of_float(double(v)))) {}
    explicit td_real32(double v) : code(uint32_t(td_exact::of_float(v))) {}
    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>
    td_real32(T v) : code(uint32_t(of(v))) {}
    explicit td_real32(const td_real64 &v);
    static td_real32 make(uint64_t c) {
        td_real32 r;
        r.code = uint32_t(c);
        return r;
    }
    uint64_t get() const { return code % td_exact::M; } // memory that nothing wrote holds other bits
    int64_t value() const { return td_exact::value(get()); }
    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type> explicit operator T() const {
        return T(value());
    }
    template <class T> static uint64_t of(T v) {
        return std::is_signed<T>::value ? td_exact::of_int(int64_t(v)) : td_exact::of_int(uint64_t(v));
    }
};

/* Of 64 bits the upper half of a code is 0. Where it is not, the bits are those of a double: a scalar that the host
 * passed, or an integer that was converted, which sizes in launchers are. Those stay doubles in arithmetic with each
 * other and with integers as long as they are whole, so that a launcher's comparison of sizes is what it was. */
struct td_real64 {
    uint64_t bits;
    td_real64() = default;
    template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type> td_real64(T v) {
        const double d = double(v);
        if constexpr (std::is_floating_point<T>::value)
            bits = td_exact::of_float(d);
        else if (d > -0x1p53 && d < 0x1p53)
            memcpy(&bits, &d, 8);
        else
            bits = td_real32::of(v);
    }
    explicit td_real64(const td_real32 &v) : bits(v.get()) {}
    static td_real64 make(uint64_t c) {
        td_real64 r;
        r.bits = c;
        return r;
    }
    bool raw() const { return bits >> 32 || !bits; }
    double number() const {
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    bool whole(double *d) const {
        *d = number();
        return raw() && *d > -0x1p53 && *d < 0x1p53 && *d == double(int64_t(*d));
    }
    uint64_t get() const { return raw() ? td_exact::of_float(number()) : bits % td_exact::M; }
    int64_t value() const { return td_exact::value(get()); }
    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type> explicit operator T() const {
        return raw() ? T(number()) : T(value());
    }
};
inline td_real32::td_real32(const td_real64 &v) : code(uint32_t(v.get())) {}

#define TD_EXACT_OPERATORS(R)                                                                                          \
    inline R operator-(R a) { return R::make(td_exact::neg(a.get())); }                                                \
    inline R operator/(R a, R b) { return R::make(td_exact::mul(a.get(), td_exact::inv(b.get()))); }                   \
    inline R &operator+=(R &a, R b) { return a = a + b; }                                                              \
    inline R &operator-=(R &a, R b) { return a = a - b; }                                                              \
    inline R &operator*=(R &a, R b) { return a = a * b; }                                                              \
    inline R &operator/=(R &a, R b) { return a = a / b; }                                                              \
    inline bool operator==(R a, R b) { return a.get() == b.get(); }                                                    \
    inline bool operator!=(R a, R b) { return a.get() != b.get(); }                                                    \
    inline R td_fma(R a, R b, R c) { return a * b + c; }                                                               \
    inline R td_max(R a, R b) { return a > b ? a : b; }                                                                \
    inline R td_min(R a, R b) { return a < b ? a : b; }                                                                \
    inline R td_mod(R a, R b) { return R::make(td_exact::pair(td_exact::tag("%"), a.get(), b.get())); }                \
    inline R td_pow(R a, R b) { return R::make(td_exact::pow(a.get(), b.get())); }                                     \
    inline R td_atan2(R a, R b) { return R::make(td_exact::pair(td_exact::tag("atan2"), a.get(), b.get())); }

#define TD_EXACT_PLAIN(R, op, f)                                                                                       \
    inline R operator op(R a, R b) { return R::make(td_exact::f); }
TD_EXACT_PLAIN(td_real32, +, add(a.get(), b.get()))
TD_EXACT_PLAIN(td_real32, -, add(a.get(), td_exact::neg(b.get())))
TD_EXACT_PLAIN(td_real32, *, mul(a.get(), b.get()))
#undef TD_EXACT_PLAIN
#define TD_EXACT_WHOLE(op, f)                                                                                          \
    inline td_real64 operator op(td_real64 a, td_real64 b) {                                                           \
        double x, y;                                                                                                   \
        if (a.whole(&x) && b.whole(&y) && x op y > -0x1p53 && x op y < 0x1p53) return td_real64(int64_t(x op y));      \
        return td_real64::make(td_exact::f);                                                                           \
    }
TD_EXACT_WHOLE(+, add(a.get(), b.get()))
TD_EXACT_WHOLE(-, add(a.get(), td_exact::neg(b.get())))
TD_EXACT_WHOLE(*, mul(a.get(), b.get()))
#undef TD_EXACT_WHOLE
#define TD_EXACT_ORDER(op)                                                                                             \
    inline bool operator op(td_real32 a, td_real32 b) { return a.value() op b.value(); }                               \
    inline bool operator op(td_real64 a, td_real64 b) { return a.value() op b.value(); }                               \
    /* In launchers: a size against the bound of an integer. Constants like -0.75, doubles, are not to become ints. */ \
    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>                              \
    inline bool operator op(td_real64 a, T b) {                                                                        \
        return a.raw() ? a.number() op double(b) : a.value() op td_real64(b).value();                                  \
    }
TD_EXACT_ORDER(<)
TD_EXACT_ORDER(<=)
TD_EXACT_ORDER(>)
TD_EXACT_ORDER(>=)
#undef TD_EXACT_ORDER
TD_EXACT_OPERATORS(td_real32)
TD_EXACT_OPERATORS(td_real64)
#undef TD_EXACT_OPERATORS

/* Of two constants, which are floats and doubles to the compiler. */
#define TD_EXACT_BINARY(name)                                                                                          \
    inline td_real32 td_##name(float a, float b) { return td_##name(td_real32(a), td_real32(b)); }                     \
    inline td_real64 td_##name(double a, double b) { return td_##name(td_real64(a), td_real64(b)); }
TD_EXACT_BINARY(mod)
TD_EXACT_BINARY(pow)
TD_EXACT_BINARY(atan2)
#undef TD_EXACT_BINARY

/* A function of one number, of both types and of constants, which are floats and doubles to the compiler. */
#define TD_EXACT_UNARY(name, f)                                                                                        \
    inline td_real32 td_##name(td_real32 a) { return td_real32::make(f); }                                             \
    inline td_real64 td_##name(td_real64 a) { return td_real64::make(f); }                                             \
    inline td_real32 td_##name(float a) { return td_##name(td_real32(a)); }                                            \
    inline td_real64 td_##name(double a) { return td_##name(td_real64(a)); }
TD_EXACT_UNARY(abs, a.value() < 0 ? td_exact::neg(a.get()) : a.get())
TD_EXACT_UNARY(sign, td_exact::of_int(int64_t((a.value() > 0) - (a.value() < 0))))
TD_EXACT_UNARY(floor, a.get())
TD_EXACT_UNARY(ceil, a.get())
TD_EXACT_UNARY(round_even, a.get())
TD_EXACT_UNARY(trunc, a.get())
TD_EXACT_UNARY(exp, td_exact::exp(a.get()))
TD_EXACT_UNARY(exp2, td_exact::exp2(a.get()))
TD_EXACT_UNARY(expm1, td_exact::add(td_exact::exp(a.get()), td_exact::M - 1))
TD_EXACT_UNARY(sigmoid, td_exact::inv(td_exact::add(1, td_exact::exp(td_exact::neg(a.get())))))
#define TD_EXACT_OWN(name)
#define TD_EXACT_MIX(name) TD_EXACT_UNARY(name, td_exact::mix(td_exact::tag(#name), a.get()))
#define FUNCTION(name, f, exact) TD_EXACT_##exact(name)
#define FAST(name)                                                                                                     \
    inline td_real32 td_fast_##name(td_real32 a) { return td_##name(a); }
#include "functions.def"
#undef TD_EXACT_OWN
#undef TD_EXACT_MIX
#undef TD_EXACT_UNARY
struct td_divisor {
    td_real32 of;
};
inline td_divisor td_divisor_of(td_real32 z) { return {z}; }
inline td_divisor td_divisor_whole(td_real32 z) { return {z}; }
inline td_divisor td_divisor_by(td_real32 z, td_real32, td_real32) { return {z}; }
inline td_real32 td_divide(td_real32 a, const td_divisor &d) { return a / d.of; }
inline td_real32 td_under_exp(td_real32 a) { return td_exp(a); }
inline td_real32 td_under_exp2(td_real32 a) { return td_exp2(a); }
inline td_real32 td_under_sigmoid(td_real32 a) { return td_sigmoid(a); }
inline td_real32 td_fast_div(td_real32 a, td_real32 b) { return a / b; }
inline td_real32 td_fast_pow(td_real32 a, td_real32 b) { return td_pow(a, b); }

/* In place of the portable prelude's template: a signed number, kept within the integer's range. */
template <class T> inline T td_to_int(td_real32 v, T lo, T hi) {
    const int64_t n = v.value();
    return n < int64_t(lo) ? lo : n > int64_t(hi) ? hi : T(n);
}
template <class T> inline T td_to_int(td_real64 v, T lo, T hi) { return td_to_int(td_real32(v), lo, hi); }

inline td_real32 td_odd(td_real32 a) { return a; }
inline td_real32 td_odd(float a) { return a; }
inline td_real32 td_odd(double a) { return td_real32(a); }

/* What the portable prelude calls by the names of <math.h>, for functions that have no laws here (README.md). */
inline td_real64 fabs(td_real64 a) { return td_abs(a); }
inline td_real64 floor(td_real64 a) { return a; }
inline td_real64 rint(td_real64 a) { return a; }
inline td_real64 tan(td_real64 a) { return td_tan(a); }
inline td_real64 log(td_real64 a) { return td_log(a); }
inline td_real64 copysign(td_real64 a, td_real64 b) { return b.value() < 0 ? -td_abs(a) : td_abs(a); }
inline td_real32 copysign(td_real32 a, td_real32 b) { return b.value() < 0 ? -td_abs(a) : td_abs(a); }
inline td_real64 fmod(td_real64 a, td_real64 b) { return td_mod(a, b); }
inline td_real32 fmod(td_real32 a, td_real32 b) { return td_mod(a, b); }

/* A float in memory of fewer bits, a code in it. */
#define TD_EXACT_SMALL(T, word)                                                                                        \
    struct T {                                                                                                         \
        word bits;                                                                                                     \
        T() = default;                                                                                                 \
        T(td_real32 v) : bits(word(v.get())) {}                                                                        \
        operator td_real32() const { return td_real32::make(bits); }                                                   \
    };
TD_EXACT_SMALL(td_f16, uint16_t)
TD_EXACT_SMALL(td_bf16, uint16_t)
TD_EXACT_SMALL(td_f8e4m3, uint8_t)
TD_EXACT_SMALL(td_f8e5m2, uint8_t)
#undef TD_EXACT_SMALL

#ifndef TD_EXACT_TYPES_ONLY
#define float td_real32
#define double td_real64
#endif
#endif
