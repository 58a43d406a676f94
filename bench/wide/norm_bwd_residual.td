// The backward of a layer norm behind a residual sum: three gradients, the first with what came past the norm.
import "norm";
export fn norm_bwd_residual(dy: bf16[M, N], x: bf16[M, N], dres: bf16[M, N], mu: f32[M], inv: f32[M], w: f32[N])
        -> (dx: bf16[M, N], dw: f32[N], db: f32[N]) {
    let d = layer_norm_grad(dy, x, mu, inv, w);
    dx[i, j] = d[i, j] + dres[i, j];
    (dw, db) = layer_norm_param_grad(dy, x, mu, inv);
}
check norm_bwd_residual(M = 9, N = 37) with inv in 0.5..2.0;
bench norm_bwd_residual(M = 8192, N = 2560) with inv in 0.5..2.0;
