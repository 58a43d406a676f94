// What runner.c runs beside the kernels that it times: drawn inputs, and how far two results are apart.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

enum Type { F32, F64, F16, BF16, I8, I16, I32, I64, U8, BOOL };

static __device__ uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

static __device__ double uniform(uint64_t seed, int64_t i) {
    return (double)(mix(mix(seed) + (uint64_t)(i + 1) * 0x9E3779B97F4A7C15ull) >> 11) * 0x1p-53;
}

static __device__ void put(void *p, int64_t i, int type, double v) {
    switch (type) {
    case F32: ((float *)p)[i] = (float)v; break;
    case F64: ((double *)p)[i] = v; break;
    case F16: ((__half *)p)[i] = __float2half((float)v); break;
    case BF16: ((__nv_bfloat16 *)p)[i] = __float2bfloat16((float)v); break;
    case I16: ((int16_t *)p)[i] = (int16_t)floor(v); break;
    case I32: ((int32_t *)p)[i] = (int32_t)floor(v); break;
    case I64: ((int64_t *)p)[i] = (int64_t)floor(v); break;
    default: ((int8_t *)p)[i] = (int8_t)floor(v); break;
    }
}

static __device__ double get(const void *p, int64_t i, int type) {
    switch (type) {
    case F32: return ((const float *)p)[i];
    case F64: return ((const double *)p)[i];
    case F16: return __half2float(((const __half *)p)[i]);
    case BF16: return __bfloat162float(((const __nv_bfloat16 *)p)[i]);
    case I16: return ((const int16_t *)p)[i];
    case I32: return ((const int32_t *)p)[i];
    case I64: return (double)((const int64_t *)p)[i];
    case I8: return ((const int8_t *)p)[i];
    default: return ((const uint8_t *)p)[i];
    }
}

// Uniform in lo..hi; with `ascending` from lo to hi, each step of a length between almost nothing and twice the mean.
extern "C" __global__ void corpus_fill(void *p, int64_t n, int type, double lo, double hi, uint64_t seed, int ascending) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        double u = uniform(seed, i);
        if (ascending) u = i == 0 ? 0 : i == n - 1 ? 1 : ((double)i - 0.5 + 0.98 * u) / (double)(n - 1);
        put(p, i, type, lo + u * (hi - lo));
    }
}

// Counts in *bad the elements that differ by more than a share of their size.
extern "C" __global__ void corpus_differ(const void *a, const void *b, int64_t n, int type, double share, double least,
                                         unsigned long long *bad) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        double x = get(a, i, type), y = get(b, i, type);
        bool same = x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= share * (fabs(x) + fabs(y)) + least;
        if (!same) atomicAdd(bad, 1ull);
    }
}
