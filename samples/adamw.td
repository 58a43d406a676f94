/// Linear regression with AdamW: one call is one training step. It computes the loss, its gradients, and updates the two
/// parameters, each with its own moments, in place.
import "optim";

export fn train(x: f32[N, K], t: f32[N], inout w: f32[K], inout w_m: f32[K], inout w_v: f32[K],
                inout b: f32[], inout b_m: f32[], inout b_v: f32[], step: i64, lr: f32 = 1e-3) -> (loss: f32[]) {
    let d[n] = sum[k](x[n, k] * w[k]) + b[] - t[n];
    loss[] = mean[n](d[n] * d[n]);
    let dw[k] = mean[n](2 * d[n] * x[n, k]);
    let db[] = mean[n](2 * d[n]);
    adamw(w, w_m, w_v, dw, step, lr = lr);
    adamw(b, b_m, b_v, db, step, lr = lr, weight_decay = 0);
}

check train(N = 1, K = 1, step = 1) with w_v in 0.0..1.0, b_v in 0.0..1.0;
check train(N = 61, K = 37, step = 3, lr = 0.1) with w_v in 0.0..1.0, b_v in 0.0..1.0;
bench train(N = 4096, K = 1024, step = 100);
