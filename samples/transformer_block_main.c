/* A transformer block against loops on the host, and its causality: what comes later in a sequence must not show
 * before. */
#include "sample.h"
#include "transformer_block.h"

enum { B = SIZE(2, 1), S = SIZE(64, 9), H = SIZE(4, 2), D = SIZE(32, 8), F = SIZE(256, 24) };
enum { C = H * D, ALL = B * S * C };

static float x[ALL], norm1[C], norm2[C], wqkv[3 * C * C], bqkv[3 * C], wo[C * C], bo[C], w1[F * C], b1[F], w2[C * F];
static float b2[C];
static float n1[ALL], qkv[B * S * 3 * C], o[ALL], h[ALL], g[B * S * F], y[ALL], want[ALL], changed[ALL];

static void layer_norm(float *out, const float *in, const float *gain) {
    int i, c;
    for (i = 0; i < B * S; i++, in += C, out += C) {
        double mean = 0, var = 0;
        for (c = 0; c < C; c++) mean += in[c] / C;
        for (c = 0; c < C; c++) var += (in[c] - mean) * (in[c] - mean) / C;
        for (c = 0; c < C; c++) out[c] = round_bf16((in[c] - mean) / sqrt(var + 1e-5) * gain[c]);
    }
}

/* sum_k in[i, k] w[n, k] + bias[n] */
static double linear(const float *in, const float *w, const float *bias, int width, int i, int n) {
    double s = bias[n];
    int k;
    for (k = 0; k < width; k++) s += (double)in[i * width + k] * w[n * width + k];
    return s;
}

/* o[b, s, head] = softmax(q k^T / sqrt(D)) v over the keys up to s. */
static void attention(int b, int head) {
    int s, t, d;
    for (s = 0; s < S; s++) {
        double score[S], most = -INFINITY, sum = 0, out[D] = {0};
        const float *q = qkv + (b * S + s) * 3 * C + head * D;
        for (t = 0; t <= s; t++) {
            const float *k = qkv + (b * S + t) * 3 * C + C + head * D;
            for (score[t] = 0, d = 0; d < D; d++) score[t] += (double)q[d] * k[d] / sqrt(D);
            most = fmax(most, score[t]);
        }
        for (t = 0; t <= s; t++) {
            const float *v = qkv + (b * S + t) * 3 * C + 2 * C + head * D;
            double p = exp(score[t] - most);
            for (sum += p, d = 0; d < D; d++) out[d] += p * v[d];
        }
        for (d = 0; d < D; d++) o[(b * S + s) * C + head * D + d] = round_bf16(out[d] / sum);
    }
}

static void reference(void) {
    int i, c;
    layer_norm(n1, x, norm1);
    for (i = 0; i < B * S; i++)
        for (c = 0; c < 3 * C; c++) qkv[i * 3 * C + c] = round_bf16(linear(n1, wqkv, bqkv, C, i, c));
    for (i = 0; i < B * H; i++) attention(i / H, i % H);
    for (i = 0; i < B * S; i++)
        for (c = 0; c < C; c++) h[i * C + c] = round_bf16(x[i * C + c] + linear(o, wo, bo, C, i, c));
    layer_norm(n1, h, norm2);
    for (i = 0; i < B * S; i++) {
        for (c = 0; c < F; c++) {
            double v = linear(n1, w1, b1, C, i, c);
            g[i * F + c] = round_bf16(0.5 * v * (1 + erf(v * sqrt(0.5))));
        }
        for (c = 0; c < C; c++) want[i * C + c] = (float)(h[i * C + c] + linear(g, w2, b2, F, i, c));
    }
}

int main(void) {
    char why[256] = "";
    transformer_block_context *ctx;
    transformer_block_run run = {NULL, 0, NULL, why, sizeof why};
    td_bf16_t *dx = random_bf16(x, ALL, 1), *dwqkv = random_bf16(wqkv, 3 * C * C, 1 / sqrt(C)),
              *dbqkv = random_bf16(bqkv, 3 * C, 0.1);
    td_bf16_t *dwo = random_bf16(wo, C * C, 1 / sqrt(C)), *dbo = random_bf16(bo, C, 0.1);
    td_bf16_t *dw1 = random_bf16(w1, F * C, 1 / sqrt(C)), *dw2 = random_bf16(w2, C * F, 1 / sqrt(F)),
              *dy = device_copy(NULL, ALL * sizeof *dy);
    float *dnorm1 = random_f32(norm1, C, 1), *dnorm2 = random_f32(norm2, C, 1), *db1 = random_f32(b1, F, 0.1),
          *db2 = random_f32(b2, C, 0.1);
    int b, early = (S - 1) * C, wrong;

    CALL(transformer_block, transformer_block_open(&ctx, 0), transformer_block_open_message());
    CALL(transformer_block, transformer_block_block_workspace(ctx, B, S, H, D, F, &run.workspace_bytes), "");
    run.workspace = device_copy(NULL, run.workspace_bytes);
    CALL(transformer_block,
         transformer_block_block(ctx, &run, dx, dnorm1, dwqkv, dbqkv, dwo, dbo, dnorm2, dw1, db1, dw2, db2, dy, B, S, H,
                                 D, F),
         why);
    fetch_bf16(y, dy, ALL);
    reference();
    wrong = report("transformer block", y, want, ALL, 0.03);

    /* The last place of the first sequence changes: the places before it give the same bits. */
    CUDA(cudaMemset(dx + early, 0, C * sizeof *dx));
    CALL(transformer_block,
         transformer_block_block(ctx, &run, dx, dnorm1, dwqkv, dbqkv, dwo, dbo, dnorm2, dw1, db1, dw2, db2, dy, B, S, H,
                                 D, F),
         why);
    fetch_bf16(changed, dy, ALL);
    b = memcmp(y, changed, (size_t)early * sizeof *y) != 0 || !memcmp(y + early, changed + early, C * sizeof *y);
    transformer_block_close(ctx);
    cudaFree(run.workspace), cudaFree(dx), cudaFree(dwqkv), cudaFree(dbqkv), cudaFree(dwo), cudaFree(dbo),
        cudaFree(dw1), cudaFree(dw2);
    cudaFree(dy), cudaFree(dnorm1), cudaFree(dnorm2), cudaFree(db1), cudaFree(db2);
    return wrong | within("places that see a later one", b, 0);
}
