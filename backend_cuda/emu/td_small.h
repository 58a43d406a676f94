/* The prelude's types of 8 bits and fewer that C++ has not: 8-bit floats and 4-bit integers. */
#ifndef TD_EMU_SMALL_H
#define TD_EMU_SMALL_H
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef TD_EXACT_BITS // which has types of its own
/* A float format of 8 bits with MANTISSA bits after the point, exponents biased by BIAS, MAX its largest finite code.
 * To nearest even; what is beyond the largest value, infinities too, becomes it; NaN is 0x7f. */
template <int MANTISSA, int BIAS, int MAX> struct td_emu_float8 {
    uint8_t bits;
    td_emu_float8() = default;
    td_emu_float8(float f) : bits(of(f)) {}
    operator float() const { return to(bits); }

    static uint8_t of(float f) {
        uint32_t u;
        memcpy(&u, &f, 4);
        const uint8_t sign = uint8_t(u >> 24 & 0x80u);
        u &= 0x7fffffffu;
        if (u > 0x7f800000u) return 0x7f;
        const int e = int(u >> 23) - 127, least = 1 - BIAS; // below least: denormal
        if (e < least - MANTISSA - 1) return sign;          // less than half of the smallest
        const uint32_t whole = (u & 0x7fffffu) | 0x800000u;
        const int drop = 23 - MANTISSA + (e < least ? least - e : 0);
        const uint32_t low = whole & ((1u << drop) - 1), middle = 1u << (drop - 1);
        uint32_t kept = whole >> drop;
        if (low > middle || (low == middle && (kept & 1))) kept++;
        if (e >= least) kept += uint32_t(e - least) << MANTISSA; // a carry goes on into the exponent
        return uint8_t(sign | (kept > uint32_t(MAX) ? uint32_t(MAX) : kept));
    }
    static float to(uint8_t b) {
        const int code = b & 0x7f, e = code >> MANTISSA, m = code & ((1 << MANTISSA) - 1);
        float v = e ? ldexpf(float(m + (1 << MANTISSA)), e - BIAS - MANTISSA) : ldexpf(float(m), 1 - BIAS - MANTISSA);
        if (code > MAX) v = BIAS == 15 && m == 0 ? INFINITY : NAN; // e4m3 has no infinity
        return b & 0x80 ? -v : v;
    }
};
typedef td_emu_float8<3, 7, 0x7e> td_f8e4m3;
typedef td_emu_float8<2, 15, 0x7b> td_f8e5m2;
#endif

/* Two elements; in memory only. */
struct td_i4 {
    uint8_t pair;
    static int value(uint32_t bits) { return int(bits ^ 8u) - 8; }
};
struct td_u4 {
    uint8_t pair;
    static int value(uint32_t bits) { return int(bits); }
};
#endif
