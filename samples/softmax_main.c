/* Calls the entry of softmax.td from C: a matrix of ones and one larger element a row, against the values worked out by hand. */
#include "softmax.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 1000, N = 3000 };

/* bf16 is the upper half of an f32. */
static float from_bf16(uint16_t h) {
    union {
        uint32_t u;
        float f;
    } v;
    v.u = (uint32_t)h << 16;
    return v.f;
}

int main(void) {
    static uint16_t x[M][N], y[M][N];
    char why[256] = "";
    softmax_context *ctx = NULL;
    softmax_run run = {NULL, 0, NULL, why, sizeof why}; /* the default stream */
    void *dx = NULL, *dy = NULL;
    double worst = 0, e = exp(1.0);
    softmax_status status;
    int i, j;

    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) x[i][j] = j == i ? 0x4000 : 0x3f80; /* 2 and 1 */
    if (cudaMalloc(&dx, sizeof x) || cudaMalloc(&dy, sizeof y) || cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice)) {
        fprintf(stderr, "no device memory\n");
        return 1;
    }
    status = softmax_open(&ctx, 0);
    if (!status) status = softmax_softmax_workspace(ctx, M, N, &run.workspace_bytes);
    if (!status && run.workspace_bytes && cudaMalloc(&run.workspace, run.workspace_bytes)) status = softmax_error_cuda;
    if (!status) status = softmax_softmax(ctx, &run, dx, dy, M, N);
    if (status || cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost)) {
        fprintf(stderr, "softmax: %s: %s\n", softmax_status_text(status), why);
        return 1;
    }
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            double want = (j == i ? e : 1) / (e + N - 1), error = fabs(from_bf16(y[i][j]) / want - 1);
            if (!(error <= worst)) worst = error;
        }
    printf("softmax of %d x %d: largest relative error %.2g\n", M, N, worst);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(run.workspace);
    softmax_close(ctx);
    return !(worst < 0.004); /* half a step of bf16 */
}
