/* Calls three models by turns and compares with values worked out by hand; and a fourth from two translation units, in
 * which its small floats have different types. C99 and C++17. */
#include "again.h"
#include "one.h"
#include "other.h"
#include "types.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

enum { M = 3, N = 37 };
static float x[M * N], y[M * N], host[M * N], *dx, *dy;
static void *work;
static int wrong;

static void expect(const char *what, const char *why, int n, int status) {
    int i;
    if (status || cudaMemcpy(host, dy, sizeof(float) * (size_t)n, cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("%s: status %d: %s\n", what, status, why);
        wrong = 1;
        return;
    }
    for (i = 0; i < n; i++)
        if (host[i] != y[i]) {
            printf("%s: element %d is %g, expected %g\n", what, i, (double)host[i], (double)y[i]);
            wrong = 1;
            return;
        }
}

#ifdef __cplusplus
extern "C" {
#endif
int with_cuda(types_context *ctx, const types_run *run, void *x, void *y, int64_t n); /* small_floats.c */
int without_cuda(types_context *ctx, const types_run *run, void *x, void *y, int64_t n);
#ifdef __cplusplus
}
#endif

/* bf16 0.5 three times, and what is twice that. */
static void small_floats(void) {
    const uint16_t half[N] = {0x3f00, 0x3f00, 0x3f00};
    uint16_t got[N];
    types_context *ctx = NULL;
    types_run run = {NULL, 0, NULL, NULL, 0};
    int i;
    wrong |=
        types_open(&ctx, 0) != types_ok || cudaMemcpy(dx, half, sizeof half, cudaMemcpyHostToDevice) != cudaSuccess;
    wrong |= with_cuda(ctx, &run, dx, dy, N) || without_cuda(ctx, &run, dy, dx, N);
    wrong |= cudaMemcpy(got, dx, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (i = 0; i < 3; i++) wrong |= got[i] != 0x4000;
    if (wrong) printf("small floats: got 0x%x for 2\n", got[0]);
    types_close(ctx);
}

int main(void) {
    one_context *a = NULL;
    second_context *b = NULL;
    other_context *c = NULL;
    char why[200] = "";
    size_t bytes = 0, most = 256;
    int turn, i, j;
    for (i = 0; i < M * N; i++) x[i] = (float)(i * i % 19);
    if (one_open(&a, 0) || second_open(&b, 0) || other_open(&c, 0)) return 1;
    if (one_centred_workspace(a, M, N, &bytes)) return 1;
    most = bytes > most ? bytes : most;
    if (second_centred_workspace(b, M, N, &bytes)) return 1;
    most = bytes > most ? bytes : most;
    if (cudaMalloc((void **)&dx, sizeof x) || cudaMalloc((void **)&dy, sizeof y) || cudaMalloc(&work, most)) return 1;
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    for (turn = 0; turn < 2; turn++) {
        one_run ra = {work, most, NULL, why, sizeof why};
        second_run rb = {work, most, NULL, why, sizeof why};
        other_run rc = {work, most, NULL, why, sizeof why};
        for (i = 0; i < N; i++) y[i] = 2 * x[i] + 1;
        expect("one f", why, N, (int)one_f(a, &ra, dx, dy, N));
        for (i = 0; i < N; i++) y[i] = 0.5f * (3 * x[i]);
        expect("other f", why, N, (int)other_f(c, &rc, dx, dy, N, 0.5f));
        for (i = 0; i < M; i++)
            for (j = 0; j < N; j++) y[i * N + j] = x[i * N + j] * M - (x[j] + x[N + j] + x[2 * N + j]);
        expect("second centred", why, M * N, (int)second_centred(b, &rb, dx, dy, M, N));
        expect("one centred", why, M * N, (int)one_centred(a, &ra, dx, dy, M, N));
        for (i = 0; i < N; i++) y[i] = x[i] - 10;
        expect("other centred", why, N, (int)other_centred(c, &rc, dx, dy, N));
    }
    small_floats();
    one_close(a);
    second_close(b);
    other_close(c);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(work);
    return wrong;
}
