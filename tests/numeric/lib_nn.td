// A selection of the standard library's nn, as kernels.
import "nn";

/// Activations with a branch, with several special functions, and a gradient, in one kernel.
export fn activations(x: bf16[N], dy: bf16[N]) -> (a: bf16[N], b: f32[N], c: f32[N], d: bf16[N]) {
    a[n] = mish(x[n]) + softplus(x[n], beta = 0.5);
    b[n] = trigamma(x[n] + 0.01) + hypot(x[n], dy[n]);
    c[n] = gelu_grad(dy[n], x[n]);
    d[n] = hardswish(x[n]) * selu(dy[n]);
}
check activations(N = 1031) with x ~ 3.0;
check activations(N = 0);

export gated = swiglu(T = f16, B = [M]);
check gated(M = 5, N = 77);
check gated(M = 3, N = 0);

export rows = log_softmax(T = bf16, B = [A, M]);
check rows(A = 2, M = 7, N = 131) with x ~ 10.0;
check rows(A = 1, M = 1, N = 1);

export planes = softmax_channels(T = f32, S = [H, W]);
check planes(N = 2, C = 5, H = 3, W = 17);

/// lse in a guard and over a range that is data.
export fn partial(x: f32[M, N], k: i32[M]) -> (y: f32[M], z: f32[M]) {
    assume 0 <= k[i] && k[i] <= N;
    y[i] = lse[j in 0..k[i]](x[i, j]);
    z[i] = lse[j where x[i, j] > 0](x[i, j]);
}
check partial(M = 9, N = 67) with x ~ 20.0;

export chosen = masked_softmax(T = f32, B = [M]);
check chosen(M = 6, N = 33);

export thinned = dropout(T = f32, B = [M, N]);
check thinned(M = 13, N = 29, seed = 7, stream = 2, p = 0.3);

export fn classes(x: bf16[M, V], t: i64[M], w: bf16[V]) -> (each: f32[M], y: f32[], z: f32[]) {
    assume -1 <= t[i] && t[i] < V;
    each = cross_entropy_none(x, t, ignore_index = (-1));
    y = cross_entropy(x, t, w, ignore_index = (-1), label_smoothing = 0.1);
    z = nll_loss(log_softmax(x), t, ignore_index = (-1));
}
check classes(M = 37, V = 65) with w in 0.5..2.0;
check classes(M = 2, V = 1029) with w in 0.5..2.0;

export fn means(x: f32[M, N], t: f32[M, N], p: f32[M, N]) -> (a: f32[], b: f32[], c: f32[]) {
    a = binary_cross_entropy_with_logits(x, p, pos_weight = 2.5);
    b = huber_loss(x, t, delta = 0.75);
    c = sigmoid_focal_loss(x, p);
}
check means(M = 43, N = 29) with p in 0.0..1.0;
check means(M = 0, N = 3);
