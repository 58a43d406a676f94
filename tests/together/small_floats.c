/* Two models' headers in one translation unit, and CUDA's headers of small floats: nowhere, before, between or after
 * them (PLACE 0 to 3). Small floats are CUDA's own types in C++ where its headers come first, and structs everywhere
 * else; they are the same for both models. SWAPPED is a mistake that no compiler takes: two pointers that have changed
 * places. The function is called as NAME says. C99 and C++17.
 * clause 10.2 */
#if PLACE == 1
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#endif
#include "types.h"
#if PLACE == 2
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#endif
#include "types_too.h"
#if PLACE == 3
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#endif

#if PLACE == 1 && defined(__cplusplus)
typedef __half f16;
typedef __nv_bfloat16 bf16;
typedef __nv_fp8_e4m3 e4m3;
typedef __nv_fp8_e5m2 e5m2;
#else
typedef struct td_f16_t f16;
typedef struct td_bf16_t bf16;
typedef struct td_f8e4m3_t e4m3;
typedef struct td_f8e5m2_t e5m2;
enum {
    BITS = sizeof(((f16 *)0)->bits) + sizeof(((bf16 *)0)->bits) + sizeof(((e4m3 *)0)->bits) + sizeof(((e5m2 *)0)->bits)
};
typedef char bits_of_them[BITS == 6 ? 1 : -1];
#endif
typedef char sizes_of_them[sizeof(f16) == 2 && sizeof(bf16) == 2 && sizeof(e4m3) == 1 && sizeof(e5m2) == 1 ? 1 : -1];

/* Both models take the same pointers. */
typedef types_status first_fn(types_context *, const types_run *, const f16 *, const bf16 *, const e4m3 *, const e5m2 *,
                              const void *, const uint8_t *, int8_t *, double *, int64_t);
typedef types_too_status second_fn(types_too_context *, const types_too_run *, const f16 *, const bf16 *, const e4m3 *,
                                   const e5m2 *, const void *, const uint8_t *, int8_t *, double *, int64_t);
int agree(first_fn *, second_fn *); /* is never called */
enum { AGREE = sizeof(agree(types_all, types_too_all)) };

#ifdef __cplusplus
extern "C"
#endif
    int
    NAME(types_context *ctx, const types_run *run, void *x, void *y, int64_t n);
int NAME(types_context *ctx, const types_run *run, void *x, void *y, int64_t n) {
#ifdef SWAPPED
    float *wrong = (float *)y;
    return (int)types_twice(ctx, run, (const bf16 *)x, wrong, n);
#else
    return (int)types_twice(ctx, run, (const bf16 *)x, (bf16 *)y, n);
#endif
}
