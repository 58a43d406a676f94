/* The CIoU loss: 0 for boxes that are their targets, the formula's value for others, and a step against the gradient
 * makes it smaller by about the step times the gradient's square. */
#include "ciou.h"
#include "sample.h"

enum { N = SIZE(10000, 300) };

static float box[N * 4], target[N * 4], grad[N * 4], moved[N * 4];

static double square(double v) { return v * v; }

/* 1 - CIoU of two boxes by centre and size. */
static double ciou_loss(const float *a, const float *b) {
    double w = fmin(a[0] + a[2] / 2, b[0] + b[2] / 2) - fmax(a[0] - a[2] / 2, b[0] - b[2] / 2);
    double h = fmin(a[1] + a[3] / 2, b[1] + b[3] / 2) - fmax(a[1] - a[3] / 2, b[1] - b[3] / 2);
    double cw = fmax(a[0] + a[2] / 2, b[0] + b[2] / 2) - fmin(a[0] - a[2] / 2, b[0] - b[2] / 2);
    double ch = fmax(a[1] + a[3] / 2, b[1] + b[3] / 2) - fmin(a[1] - a[3] / 2, b[1] - b[3] / 2);
    double inter = fmax(w, 0) * fmax(h, 0), iou = inter / ((double)a[2] * a[3] + (double)b[2] * b[3] - inter);
    double v = 4 / square(acos(-1)) * square(atan((double)b[2] / b[3]) - atan((double)a[2] / a[3]));
    return 1 - iou + (square(a[0] - b[0]) + square(a[1] - b[1])) / (cw * cw + ch * ch) + v * v / (v - iou + 1 + 1e-7);
}

int main(void) {
    char why[256] = "";
    ciou_context *ctx;
    ciou_run run = {NULL, 0, NULL, why, sizeof why};
    float *dbox, *dtarget, *dgrad = device_copy(NULL, sizeof grad), *dloss = device_copy(NULL, 3 * sizeof *dloss);
    float loss[3], sum;
    const double step = 1e-3 * N; /* the gradient is that of a mean */
    double want = 0, squares = 0, less;
    int i;

    for (i = 0; i < 4 * N; i++) box[i] = (float)(0.3 + 0.4 * uniform()), target[i] = (float)(0.3 + 0.4 * uniform());
    for (i = 0; i < N; i++) want += ciou_loss(box + 4 * i, target + 4 * i) / N;
    dbox = device_copy(box, sizeof box), dtarget = device_copy(target, sizeof target);
    CALL(ciou, ciou_open(&ctx, 0), ciou_open_message());
    CALL(ciou, ciou_loss_and_grad_workspace(ctx, N, &run.workspace_bytes), "");
    run.workspace = device_copy(NULL, run.workspace_bytes);
    CALL(ciou, ciou_loss_and_grad(ctx, &run, dtarget, dtarget, dloss, dgrad, N), why);
    CALL(ciou, ciou_loss_and_grad(ctx, &run, dbox, dtarget, dloss + 1, dgrad, N), why);
    host_copy(grad, dgrad, sizeof grad);
    for (i = 0; i < 4 * N; i++) moved[i] = box[i] - (float)step * grad[i], squares += square(grad[i]);
    CUDA(cudaMemcpy(dbox, moved, sizeof moved, cudaMemcpyHostToDevice));
    CALL(ciou, ciou_loss_and_grad(ctx, &run, dbox, dtarget, dloss + 2, dgrad, N), why);
    host_copy(loss, dloss, sizeof loss);
    sum = (float)want;
    less = (loss[1] - loss[2]) / (step * squares);
    ciou_close(ctx);
    cudaFree(run.workspace), cudaFree(dbox), cudaFree(dtarget), cudaFree(dgrad), cudaFree(dloss);
    return report("ciou", loss + 1, &sum, 1, 1e-4) | within("its loss of equal boxes", fabs(loss[0]), 1e-5) |
           within("what a small step gains, beside its gradient, less 1", fabs(less - 1), 0.05);
}
