/* What the sample programs share: device memory, random numbers, bf16 and f16 on the host, comparison, and what to do
 * about an error, which is to say so and end the program. A model's own calls are in each program, as in yours. C99. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A size for the GPU, and one for the CPU stand-in, which is slower. */
#ifdef TD_EMU
#define SIZE(gpu, stand_in) (stand_in)
#else
#define SIZE(gpu, stand_in) (gpu)
#endif

/* CALL(mlp, mlp_open(&ctx, 0), mlp_open_message()): goes on if the status is mlp_ok. */
#define CALL(prefix, call, message)                                                                                    \
    do {                                                                                                               \
        prefix##_status call_status = call;                                                                            \
        if (call_status) sample_fail(#call, prefix##_status_text(call_status), message);                               \
    } while (0)
#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t call_error = call;                                                                                 \
        if (call_error) sample_fail(#call, cudaGetErrorString(call_error), "");                                        \
    } while (0)

static inline void sample_fail(const char *call, const char *status, const char *message) {
    fprintf(stderr, "%s: %s%s%s\n", call, status, *message ? ": " : "", message);
    exit(1);
}

/* Device memory with the bytes of `from`, or zeros where that is NULL. */
static inline void *device_copy(const void *from, size_t bytes) {
    void *p = NULL;
    if (!bytes) return NULL;
    CUDA(cudaMalloc(&p, bytes));
    if (from)
        CUDA(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice));
    else
        CUDA(cudaMemset(p, 0, bytes));
    return p;
}

/* Waits for the work on the default stream. */
static inline void host_copy(void *to, const void *from, size_t bytes) {
    CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

/* ---- numbers ---- */

/* Uniform in [0, 1), the same in every run (xorshift*). */
static inline double uniform(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return (double)((state * 0x2545f4914f6cdd1du) >> 11) / 9007199254740992.0;
}

/* About normal, with this deviation. */
static inline float normal(double deviation) {
    double s = 0;
    int i;
    for (i = 0; i < 12; i++) s += uniform();
    return (float)((s - 6) * deviation);
}

/* bf16 is the upper half of an f32; rounds to nearest even, as the device does. Not for NaN. */
static inline uint16_t to_bf16(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
static inline float from_bf16(uint16_t h) {
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}
static inline float round_bf16(double v) { return from_bf16(to_bf16((float)v)); }

/* n normal numbers that bf16 holds: as floats, and as bf16 in device memory. */
static inline void *random_bf16(float *host, size_t n, double deviation) {
    uint16_t *h = (uint16_t *)malloc(n * sizeof *h);
    void *device;
    size_t i;
    if (!h) sample_fail("malloc", "out of memory", "");
    for (i = 0; i < n; i++) h[i] = to_bf16(normal(deviation)), host[i] = from_bf16(h[i]);
    device = device_copy(h, n * sizeof *h);
    free(h);
    return device;
}
static inline float *random_f32(float *host, size_t n, double deviation) {
    size_t i;
    for (i = 0; i < n; i++) host[i] = normal(deviation);
    return (float *)device_copy(host, n * sizeof *host);
}
/* The floats of n bf16 in device memory. */
static inline void fetch_bf16(float *host, const void *device, size_t n) {
    uint16_t *h = (uint16_t *)malloc(n * sizeof *h);
    size_t i;
    if (!h) sample_fail("malloc", "out of memory", "");
    host_copy(h, device, n * sizeof *h);
    for (i = 0; i < n; i++) host[i] = from_bf16(h[i]);
    free(h);
}

/* ---- results ---- */

/* Prints whether an error is within what rounding makes; the result is the program's exit status, 0 if it is. */
static inline int within(const char *what, double error, double allowed) {
    const int right = error <= allowed;
    printf("%s: %s; the error is %.2g, rounding makes up to %.2g\n", what, right ? "right" : "WRONG", error, allowed);
    return !right;
}

/* within, of the largest error, relative to the larger of the number wanted and the root mean square of all of them. */
static inline int report(const char *what, const float *got, const float *want, size_t n, double allowed) {
    double square = 0, worst = 0, scale;
    size_t i;
    for (i = 0; i < n; i++) square += (double)want[i] * want[i];
    scale = sqrt(square / (double)n);
    for (i = 0; i < n; i++) {
        double size = fabs(want[i]) > scale ? fabs(want[i]) : scale,
               error = fabs((double)got[i] - want[i]) / (size > 0 ? size : 1);
        if (!(error <= worst)) worst = error; /* a NaN stays */
    }
    return within(what, worst, allowed);
}

#endif
