/* Trains a linear regression. The loss must fall to a hundredth, and the parameters after one step must be what the
 * formula of AdamW gives on the host. */
#include "adamw.h"
#include "sample.h"

enum { N = SIZE(1024, 64), K = SIZE(64, 8), STEPS = SIZE(400, 60) };

static float x[N * K], t[N], truth[K], w[K], want[K], loss[STEPS];

/* w after one step from zero moments: the moments' corrections then leave the gradient's sign, almost. */
static void first_step(double lr) {
    int n, k;
    for (k = 0; k < K; k++) {
        double g = 0;
        for (n = 0; n < N; n++) {
            double d = -t[n];
            int j;
            for (j = 0; j < K; j++) d += (double)x[n * K + j] * w[j];
            g += 2 * d * x[n * K + k] / N;
        }
        want[k] = (float)(w[k] * (1 - lr * 0.01) - lr * g / (fabs(g) + 1e-8));
    }
}

int main(void) {
    char why[256] = "";
    adamw_context *ctx;
    adamw_run run = {NULL, 0, NULL, why, sizeof why};
    const float lr = 0.05f;
    float *dx = random_f32(x, N * K, 1), *dw, *dm, *dv, *db, *dbm, *dbv, *dt, *dloss;
    int n, k, step, wrong;

    for (k = 0; k < K; k++) truth[k] = normal(1), w[k] = 0;
    for (n = 0; n < N; n++)
        for (t[n] = 0.5f, k = 0; k < K; k++) t[n] += x[n * K + k] * truth[k];
    dt = device_copy(t, sizeof t);
    dw = device_copy(w, sizeof w), dm = device_copy(NULL, sizeof w), dv = device_copy(NULL, sizeof w);
    db = device_copy(NULL, sizeof *db), dbm = device_copy(NULL, sizeof *db), dbv = device_copy(NULL, sizeof *db);
    dloss = device_copy(NULL, sizeof loss); /* one element a step: nothing waits for the device in between */

    CALL(adamw, adamw_open(&ctx, 0), adamw_open_message());
    CALL(adamw, adamw_train_workspace(ctx, N, K, &run.workspace_bytes), "");
    run.workspace = device_copy(NULL, run.workspace_bytes);
    first_step(lr);
    CALL(adamw, adamw_train(ctx, &run, dx, dt, dw, dm, dv, db, dbm, dbv, dloss, N, K, 1, lr), why);
    host_copy(w, dw, sizeof w);
    wrong = report("adamw, the first step", w, want, K, 1e-4);
    for (step = 2; step <= STEPS; step++)
        CALL(adamw, adamw_train(ctx, &run, dx, dt, dw, dm, dv, db, dbm, dbv, dloss + step - 1, N, K, step, lr), why);
    host_copy(loss, dloss, sizeof loss);
    adamw_close(ctx);
    cudaFree(run.workspace), cudaFree(dx), cudaFree(dt), cudaFree(dw), cudaFree(dm), cudaFree(dv);
    cudaFree(db), cudaFree(dbm), cudaFree(dbv), cudaFree(dloss);
    return wrong | within("the last loss beside the first", loss[STEPS - 1] / loss[0], 0.01);
}
