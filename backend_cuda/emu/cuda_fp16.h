/* The CPU stand-in for CUDA: IEEE half precision, converted with round to nearest even, with denormals. */
#ifndef TD_EMU_CUDA_FP16_H
#define TD_EMU_CUDA_FP16_H
#ifdef __cplusplus
#include <stdint.h>
#include <string.h>

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
#endif
#endif
