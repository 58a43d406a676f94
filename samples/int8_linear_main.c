/* Quantises weights to int8 and multiplies with them: each weight must come back within half a step, and the product be
 * that of the weights that came back. */
#include "int8_linear.h"
#include "sample.h"

enum { M = SIZE(64, 5), K = SIZE(512, 48), N = SIZE(512, 24) };

static float x[M * K], w[N * K], scale[N], bias[N], y[M * N], want[M * N];
static int8_t q[N * K];

int main(void) {
    char why[256] = "";
    int8_linear_context *ctx;
    int8_linear_run run = {NULL, 0, NULL, why, sizeof why};
    td_bf16_t *dx = random_bf16(x, M * K, 1), *dy = device_copy(NULL, M * N * sizeof *dy);
    float *dw = random_f32(w, N * K, 0.05), *dbias = random_f32(bias, N, 0.1),
          *dscale = device_copy(NULL, N * sizeof *dscale);
    int8_t *dq = device_copy(NULL, N * K);
    size_t other;
    double worst = 0;
    int m, n, k;

    CALL(int8_linear, int8_linear_open(&ctx, 0), int8_linear_open_message());
    /* One workspace for both entries, which run one after the other. */
    CALL(int8_linear, int8_linear_quantize_workspace(ctx, N, K, &run.workspace_bytes), "");
    CALL(int8_linear, int8_linear_forward_workspace(ctx, M, K, N, &other), "");
    if (other > run.workspace_bytes) run.workspace_bytes = other;
    run.workspace = device_copy(NULL, run.workspace_bytes);
    CALL(int8_linear, int8_linear_quantize(ctx, &run, dw, dq, dscale, N, K), why);
    CALL(int8_linear, int8_linear_forward(ctx, &run, dx, dq, dscale, dbias, dy, M, K, N), why);
    host_copy(q, dq, sizeof q);
    host_copy(scale, dscale, sizeof scale);
    fetch_bf16(y, dy, M * N);

    for (n = 0; n < N; n++)
        for (k = 0; k < K; k++) worst = fmax(worst, fabs(q[n * K + k] * scale[n] - w[n * K + k]) / scale[n]);
    for (m = 0; m < M; m++)
        for (n = 0; n < N; n++) {
            double s = 0;
            for (k = 0; k < K; k++) s += (double)x[m * K + k] * q[n * K + k];
            want[m * N + n] = (float)(s * scale[n] + bias[n]);
        }
    int8_linear_close(ctx);
    cudaFree(run.workspace), cudaFree(dx), cudaFree(dw), cudaFree(dbias), cudaFree(dq), cudaFree(dscale), cudaFree(dy);
    return within("int8 weights, in steps", worst, 0.501) | report("int8 linear", y, want, M * N, 0.01);
}
