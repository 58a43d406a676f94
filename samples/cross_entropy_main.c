/* The mean cross-entropy and its gradient against loops on the host. Each row of the gradient must sum to 0, as
 * probabilities sum to 1. */
#include "cross_entropy.h"
#include "sample.h"

enum { N = SIZE(512, 12), V = SIZE(5000, 200) };

static float x[N * V], grad[N * V], want[N * V];
static int32_t target[N];

int main(void) {
    char why[256] = "";
    cross_entropy_context *ctx;
    cross_entropy_run run = {NULL, 0, NULL, why, sizeof why};
    td_bf16_t *dx = random_bf16(x, N * V, 1), *dgrad = device_copy(NULL, N * V * sizeof *dgrad);
    float *dloss = device_copy(NULL, sizeof *dloss), loss, loss_want = 0;
    double worst = 0;
    int32_t *dtarget;
    int i, v, counted = 0;

    for (i = 0; i < N; i++) target[i] = i % 5 == 4 ? -100 : (int32_t)(uniform() * V), counted += target[i] >= 0;
    dtarget = device_copy(target, sizeof target);
    CALL(cross_entropy, cross_entropy_open(&ctx, 0), cross_entropy_open_message());
    CALL(cross_entropy, cross_entropy_loss_and_grad_workspace(ctx, N, V, &run.workspace_bytes), "");
    run.workspace = device_copy(NULL, run.workspace_bytes);
    CALL(cross_entropy, cross_entropy_loss_and_grad(ctx, &run, dx, dtarget, dloss, dgrad, N, V), why);
    host_copy(&loss, dloss, sizeof loss);
    fetch_bf16(grad, dgrad, N * V);

    for (i = 0; i < N; i++) {
        double s = 0, sum = 0;
        if (target[i] < 0) continue; /* want is 0 there */
        for (v = 0; v < V; v++) s += exp(x[i * V + v]);
        loss_want += (float)((log(s) - x[i * V + target[i]]) / counted);
        for (v = 0; v < V; v++) {
            want[i * V + v] = (float)((exp(x[i * V + v]) / s - (v == target[i])) / counted);
            sum += grad[i * V + v] * counted;
        }
        worst = fmax(worst, fabs(sum));
    }
    cross_entropy_close(ctx);
    cudaFree(run.workspace), cudaFree(dx), cudaFree(dtarget), cudaFree(dloss), cudaFree(dgrad);
    return report("cross-entropy", &loss, &loss_want, 1, 1e-4) | report("its gradient", grad, want, N * V, 0.004) |
           within("the largest sum of its rows", worst, 0.01);
}
