/* A perceptron of two layers against loops on the host. */
#include "mlp.h"
#include "sample.h"

enum { M = SIZE(512, 5), K = SIZE(256, 24), H = SIZE(512, 40), N = SIZE(128, 16) };

static float x[M * K], w1[H * K], b1[H], w2[N * H], b2[N], h[M * H], y[M * N], want[M * N];

/* out[i, n] = sum_k in[i, k] w[n, k] + b[n] */
static double linear(const float *in, const float *w, const float *b, int width, int i, int n) {
    double s = b[n];
    int k;
    for (k = 0; k < width; k++) s += (double)in[i * width + k] * w[n * width + k];
    return s;
}

int main(void) {
    char why[256] = "";
    mlp_context *ctx;
    mlp_run run = {NULL, 0, NULL, why, sizeof why};
    td_bf16_t *dx = random_bf16(x, M * K, 1), *dw1 = random_bf16(w1, H * K, 1 / sqrt(K)),
              *dw2 = random_bf16(w2, N * H, 1 / sqrt(H));
    float *db1 = random_f32(b1, H, 0.1), *db2 = random_f32(b2, N, 0.1);
    td_bf16_t *dy = device_copy(NULL, M * N * sizeof *dy);
    int i, j;

    CALL(mlp, mlp_open(&ctx, 0), mlp_open_message());
    CALL(mlp, mlp_forward_workspace(ctx, M, K, H, N, &run.workspace_bytes), "");
    run.workspace = device_copy(NULL, run.workspace_bytes); /* holds the hidden layer */
    CALL(mlp, mlp_forward(ctx, &run, dx, dw1, db1, dw2, db2, dy, M, K, H, N), why);
    fetch_bf16(y, dy, M * N);

    for (i = 0; i < M; i++) {
        for (j = 0; j < H; j++) {
            double a = linear(x, w1, b1, K, i, j);
            h[i * H + j] = round_bf16(0.5 * a * (1 + erf(a * sqrt(0.5))));
        }
        for (j = 0; j < N; j++) want[i * N + j] = (float)linear(h, w2, b2, H, i, j);
    }
    mlp_close(ctx);
    cudaFree(run.workspace), cudaFree(dx), cudaFree(dw1), cudaFree(dw2), cudaFree(db1), cudaFree(db2), cudaFree(dy);
    return report("mlp", y, want, M * N, 0.01);
}
