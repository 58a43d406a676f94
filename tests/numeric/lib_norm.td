// A selection of the standard library's norm, as kernels.
import "norm";
import "nn";

export rows = layer_norm(T = bf16, B = [M]);
check rows(M = 7, N = 131);
check rows(M = 3, N = 0);

/// The residual stream in bf16, scales in bf16.
export fn stream(x: bf16[B, L, D], r: bf16[B, L, D], w: bf16[D]) -> (y: bf16[B, L, D], s: bf16[B, L, D]) {
    let (a, b) = add_rms_norm(x, r, w);
    y = a;
    s = b;
}
check stream(B = 2, L = 5, D = 77);

/// The backward pass of layer_norm from what its forward pass saved.
export fn back(dy: f32[M, N], x: f32[M, N], w: f32[N]) -> (dx: f32[M, N], dw: f32[N], db: f32[N]) {
    let (_, mu, inv) = layer_norm_stats(x);
    let (a, b) = layer_norm_param_grad(dy, x, mu, inv);
    dx = layer_norm_grad(dy, x, mu, inv, w);
    dw = a;
    db = b;
}
check back(M = 35, N = 67);

/// Groups whose number divides the channels only when the program runs; the result has the shape of x, not the callee's.
export fn groups(x: f32[N, C, L], w: f32[C], b: f32[C]) -> (y: f32[N, C, L]) { y = group_norm(x, w, b, G = 4, act = silu); }
check groups(N = 2, C = 12, L = 37);
check groups(N = 2, C = 10, L = 3) error "C is not divisible by 4";

export last = group_norm_last(T = f16, S = [H, W], G = 3);
check last(N = 2, K = 5, H = 3, W = 7);

export trained = batch_norm(T = f32, S = [H, W]);
check trained(N = 5, C = 7, H = 3, W = 11) with running_var in 0.5..2.0;
check trained(N = 1, C = 3, H = 1, W = 1, momentum = 0.5) with running_var in 0.5..2.0;

export fn trained_back(dy: f32[N, C, L], x: f32[N, C, L], w: f32[C]) -> (dx: f32[N, C, L], dw: f32[C], db: f32[C]) {
    let (_, mu, inv) = batch_norm_stats(x);
    let (a, b, c) = batch_norm_grad(dy, x, mu, inv, w);
    dx = a;
    dw = b;
    db = c;
}
check trained_back(N = 3, C = 5, L = 19);

export fn frozen(x: bf16[M, C], z: bf16[M, C], mu: f32[C], va: f32[C]) -> (y: bf16[M, C]) {
    let h = batch_norm_inference_last(x, mu, va);
    y[m, c] = relu(h[m, c] + z[m, c]);
}
check frozen(M = 33, C = 17) with va in 0.5..2.0;

export planes = instance_norm_last(T = f32, S = [L]);
check planes(N = 3, L = 29, C = 6);

export near = local_response_norm(T = f32, S = [L], R = 3);
check near(N = 2, C = 7, L = 13, alpha = 0.5);
