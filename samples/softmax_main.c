/* Softmax over rows in bf16. Every row must sum to 1, and be what a loop on the host computes. */
#include "sample.h"
#include "softmax.h"

enum { M = SIZE(1000, 20), N = SIZE(3000, 300) };

static float x[M * N], y[M * N], want[M * N];

int main(void) {
    char why[256] = "";
    softmax_context *ctx;
    softmax_run run = {NULL, 0, NULL, why, sizeof why}; /* no workspace yet; the default stream */
    td_bf16_t *dx = random_bf16(x, M * N, 2), *dy = device_copy(NULL, M * N * sizeof *dy);
    double worst = 0;
    int i, j;

    CALL(softmax, softmax_open(&ctx, 0), softmax_open_message());
    CALL(softmax, softmax_softmax_workspace(ctx, M, N, &run.workspace_bytes), "");
    run.workspace = device_copy(NULL, run.workspace_bytes);
    CALL(softmax, softmax_softmax(ctx, &run, dx, dy, M, N), why);
    fetch_bf16(y, dy, M * N);

    for (i = 0; i < M; i++) {
        double m = -INFINITY, s = 0, sum = 0;
        for (j = 0; j < N; j++) m = fmax(m, x[i * N + j]);
        for (j = 0; j < N; j++) s += exp(x[i * N + j] - m);
        for (j = 0; j < N; j++) want[i * N + j] = (float)(exp(x[i * N + j] - m) / s), sum += y[i * N + j];
        worst = fmax(worst, fabs(sum - 1));
    }
    softmax_close(ctx);
    cudaFree(run.workspace), cudaFree(dx), cudaFree(dy);
    /* Half a step of bf16. */
    return report("softmax", y, want, M * N, 0.004) | within("its rows' sums beside 1", worst, 0.004);
}
