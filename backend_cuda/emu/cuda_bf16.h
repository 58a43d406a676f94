/* The CPU stand-in for CUDA: bfloat16, converted with round to nearest even. */
#ifndef TD_EMU_CUDA_BF16_H
#define TD_EMU_CUDA_BF16_H
#ifdef __cplusplus
#include <stdint.h>
#include <string.h>

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
#endif
#endif
