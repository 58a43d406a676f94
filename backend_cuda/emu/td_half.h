/* 16-bit floats, converted with round to nearest even: IEEE half precision, with denormals, and bfloat16. C++. They are
 * here and not in cuda_fp16.h and cuda_bf16.h because cuda_runtime.h needs them: a program has CUDA's names for them,
 * as model.h asks, only where it includes those headers itself. */
#ifndef TD_EMU_HALF_H
#define TD_EMU_HALF_H
#include <stdint.h>
#include <string.h>
#ifndef TD_EXACT_BITS // which has types of its own

inline uint16_t td_emu_half_of(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    const uint16_t sign = uint16_t((u >> 16) & 0x8000u);
    u &= 0x7fffffffu;
    if (u > 0x7f800000u) return uint16_t(0x7fff);          // NaN: canonical, as on the device
    if (u >= 0x477ff000u) return uint16_t(sign | 0x7c00u); // 65520 and more round to infinity
    if (u >= 0x38800000u) {                                // normal in half
        u += 0xfffu + ((u >> 13) & 1u);
        return uint16_t(sign | ((u - 0x38000000u) >> 13));
    }
    if (u < 0x33000000u) return sign;        // below half of the smallest denormal
    const uint32_t shift = 126u - (u >> 23); // 14 for the largest denormals .. 24
    const uint32_t man = (u & 0x7fffffu) | 0x800000u;
    const uint32_t low = man & ((1u << shift) - 1u), half = 1u << (shift - 1u);
    uint32_t h = man >> shift;
    if (low > half || (low == half && (h & 1u))) h++;
    return uint16_t(sign | h);
}
inline float td_emu_half_to(uint16_t h) {
    const uint32_t sign = uint32_t(h & 0x8000u) << 16;
    uint32_t e = (h >> 10) & 31u, m = h & 0x3ffu, u;
    if (e == 31)
        u = 0x7f800000u | (m << 13);
    else if (e)
        u = ((e + 112u) << 23) | (m << 13);
    else if (!m)
        u = 0;
    else {
        e = 113;
        while (!(m & 0x400u)) m <<= 1, e--;
        u = (e << 23) | ((m & 0x3ffu) << 13);
    }
    u |= sign;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

struct __half {
    uint16_t bits;
    __half() = default;
    __half(float f) : bits(td_emu_half_of(f)) {}
    operator float() const { return td_emu_half_to(bits); }
};
typedef __half half;

inline __half __float2half(float f) { return __half(f); }
inline __half __float2half_rn(float f) { return __half(f); }
inline float __half2float(__half h) { return float(h); }

/* ---- bfloat16 ---- */

inline uint16_t td_emu_bf16_of(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return uint16_t(0x7fff); // every NaN becomes the canonical one, as on the device
    return uint16_t((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
inline float td_emu_bf16_to(uint16_t h) {
    uint32_t u = uint32_t(h) << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

struct __nv_bfloat16 {
    uint16_t bits;
    __nv_bfloat16() = default;
    __nv_bfloat16(float f) : bits(td_emu_bf16_of(f)) {}
    operator float() const { return td_emu_bf16_to(bits); }
};
typedef __nv_bfloat16 nv_bfloat16;

inline __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
inline __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
inline float __bfloat162float(__nv_bfloat16 h) { return float(h); }

/* As emitted code calls them. */
typedef __half td_f16;
typedef __nv_bfloat16 td_bf16;
#endif
#endif
