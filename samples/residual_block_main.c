/* A residual block on images with channels last against loops on the host. */
#include "residual_block.h"
#include "sample.h"

enum { N = SIZE(4, 2), H = SIZE(28, 5), W = SIZE(28, 6), G = 4, K = SIZE(16, 2), C = G * K, ALL = N * H * W * C };

static float x[ALL], w1[C * 9 * C], w2[C * 9 * C], gain[C], bias[C], a[ALL], b[ALL], y[ALL], want[ALL];

/* 3 x 3, with zeros around. */
static void conv(float *out, const float *in, const float *w) {
    int n, p, q, o, r, s, c;
    for (n = 0; n < N; n++)
        for (p = 0; p < H; p++)
            for (q = 0; q < W; q++)
                for (o = 0; o < C; o++) {
                    double sum = 0;
                    for (r = 0; r < 3; r++)
                        for (s = 0; s < 3; s++) {
                            int i = p + r - 1, j = q + s - 1;
                            if (i < 0 || i >= H || j < 0 || j >= W) continue;
                            for (c = 0; c < C; c++)
                                sum += (double)in[((n * H + i) * W + j) * C + c] * w[((o * 3 + r) * 3 + s) * C + c];
                        }
                    out[((n * H + p) * W + q) * C + o] = (float)sum;
                }
}

/* Of each image's groups of K channels. */
static void group_norm(float *at) {
    int n, g, i, k;
    for (n = 0; n < N; n++)
        for (g = 0; g < G; g++) {
            double mean = 0, var = 0;
            float *first = at + n * H * W * C + g * K;
            for (i = 0; i < H * W; i++)
                for (k = 0; k < K; k++) mean += first[i * C + k] / (H * W * K);
            for (i = 0; i < H * W; i++)
                for (k = 0; k < K; k++) var += (first[i * C + k] - mean) * (first[i * C + k] - mean) / (H * W * K);
            for (i = 0; i < H * W; i++)
                for (k = 0; k < K; k++)
                    first[i * C + k] =
                        (float)((first[i * C + k] - mean) / sqrt(var + 1e-5) * gain[g * K + k] + bias[g * K + k]);
        }
}

int main(void) {
    char why[256] = "";
    residual_block_context *ctx;
    residual_block_run run = {NULL, 0, NULL, why, sizeof why};
    td_bf16_t *dx = random_bf16(x, ALL, 1), *dw1 = random_bf16(w1, C * 9 * C, 0.2),
              *dw2 = random_bf16(w2, C * 9 * C, 0.2);
    td_bf16_t *dy = device_copy(NULL, ALL * sizeof *dy);
    float *dgain = random_f32(gain, C, 1), *dbias = random_f32(bias, C, 0.2);
    int i;

    CALL(residual_block, residual_block_open(&ctx, 0), residual_block_open_message());
    CALL(residual_block, residual_block_block_workspace(ctx, N, H, W, G, K, &run.workspace_bytes), "");
    run.workspace = device_copy(NULL, run.workspace_bytes);
    CALL(residual_block, residual_block_block(ctx, &run, dx, dw1, dgain, dbias, dw2, dgain, dbias, dy, N, H, W, G, K),
         why);
    fetch_bf16(y, dy, ALL);

    conv(a, x, w1);
    group_norm(a);
    for (i = 0; i < ALL; i++) a[i] = a[i] > 0 ? round_bf16(a[i]) : 0;
    conv(b, a, w2);
    group_norm(b);
    for (i = 0; i < ALL; i++) want[i] = x[i] + b[i] > 0 ? x[i] + b[i] : 0;
    residual_block_close(ctx);
    cudaFree(run.workspace), cudaFree(dx), cudaFree(dw1), cudaFree(dw2), cudaFree(dgain), cudaFree(dbias), cudaFree(dy);
    return report("residual block", y, want, ALL, 0.03);
}
