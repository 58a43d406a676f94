// A selection of the standard library's optim, as kernels.
import "optim";

/// Parameters in f32 with a 16-bit copy, the gradient in bf16, clipped by a norm that the caller has; skipped where told.
export fn adamw_step(inout p: f32[N], inout m: f32[N], inout v: f32[N], g: bf16[N], step: i64, norm: f32, skip: i32[])
    -> (w: bf16[N]) {
    assume 0 <= skip[] && skip[] < 1;
    adamw(p, m, v, g, step, lr = 0.01, grad_scale = clip_coefficient(norm, 1.0), skip = skip);
    w[n] = new(p)[n];
}
check adamw_step(N = 1031, step = 3, norm = 2.5) with v in 0.0..1.0 tol 1e-5;
check adamw_step(N = 0, step = 1, norm = 0.5);
export fn adamw_skipped(inout p: f32[N], inout m: f32[N], inout v: f32[N], g: bf16[N], step: i64, skip: i32[]) {
    assume 1 <= skip[] && skip[] < 3;
    adamw(p, m, v, g, step, skip = skip);
}
check adamw_skipped(N = 37, step = 3) with v in 0.0..1.0;

export nesterov = sgd_momentum(T = bf16, M = f32, G = bf16, nesterov = true, N = [K, L]);
check nesterov(K = 5, L = 77, lr = 0.1);

/// Two tensors in one entry; norms of whole tensors decide the step.
export fn both(inout a: f32[M, N], inout ma: f32[M, N], inout va: f32[M, N], ga: f32[M, N],
               inout b: f32[N], inout mb: f32[N], gb: f32[N]) {
    lamb(a, ma, va, ga, step = 2);
    lion(b, mb, gb, weight_decay = 0.1);
}
check both(M = 7, N = 45) with va in 0.0..1.0;

export clipped = clip_grad_norm(T = f32, N = [K]);
check clipped(K = 257, max_norm = 0.5);
check clipped(K = 0, max_norm = 0.5);
