/* DLRM's interaction of 3 tables and all pairs against loops on the host. */
#include "dlrm.h"
#include "sample.h"

enum { B = SIZE(512, 6), D = SIZE(64, 16), F = 3, V = SIZE(1000, 40), L = 4, P = (F + 1) * F / 2 };

static float dense[B * D], table[F * V * D], z[F + 1][D], y[B * (D + P)], want[B * (D + P)];
static int32_t ids[B * F * L], left[P], right[P];

int main(void) {
    char why[256] = "";
    dlrm_context *ctx;
    dlrm_run run = {NULL, 0, NULL, why, sizeof why};
    td_bf16_t *ddense = random_bf16(dense, B * D, 1), *dtable = random_bf16(table, F * V * D, 0.5);
    td_bf16_t *dy = device_copy(NULL, B * (D + P) * sizeof *dy);
    int32_t *dids, *dleft, *dright;
    int b, d, f, l, p, r;

    for (p = 0; p < B * F * L; p++) ids[p] = (int32_t)(uniform() * V);
    for (p = 0, r = 1; r <= F; r++)
        for (l = 0; l < r; l++, p++) left[p] = r, right[p] = l;
    dids = device_copy(ids, sizeof ids), dleft = device_copy(left, sizeof left),
    dright = device_copy(right, sizeof right);
    CALL(dlrm, dlrm_open(&ctx, 0), dlrm_open_message());
    CALL(dlrm, dlrm_interact_workspace(ctx, B, D, F, V, L, P, &run.workspace_bytes), "");
    run.workspace = device_copy(NULL, run.workspace_bytes);
    CALL(dlrm, dlrm_interact(ctx, &run, ddense, dtable, dids, dleft, dright, dy, B, D, F, V, L, P), why);
    fetch_bf16(y, dy, B * (D + P));

    for (b = 0; b < B; b++) {
        for (d = 0; d < D; d++) {
            want[b * (D + P) + d] = z[0][d] = dense[b * D + d];
            for (f = 0; f < F; f++) {
                double bag = 0;
                for (l = 0; l < L; l++) bag += table[(f * V + ids[(b * F + f) * L + l]) * D + d];
                z[f + 1][d] = round_bf16(bag);
            }
        }
        for (p = 0; p < P; p++) {
            double dot = 0;
            for (d = 0; d < D; d++) dot += (double)z[left[p]][d] * z[right[p]][d];
            want[b * (D + P) + D + p] = (float)dot;
        }
    }
    dlrm_close(ctx);
    cudaFree(run.workspace), cudaFree(ddense), cudaFree(dtable), cudaFree(dids), cudaFree(dleft), cudaFree(dright),
        cudaFree(dy);
    return report("dlrm", y, want, B * (D + P), 0.01);
}
