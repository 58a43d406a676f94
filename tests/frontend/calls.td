// Calls on whole tensors: nested, indexed, with several results, defaults, slices; dimensions found from arguments.
import "./lib_norm.td";

fn linear<T>(x: T[B..., K], w: T[N, K], b: T[N] = 0) -> (y: acc(T)[B..., N]) {
    y[r..., n] = sum[k](x[r..., k] * w[n, k]) + b[n];
}

fn split(x: f32[M, 2*N]) -> (left: f32[M, N], right: f32[M, N]) {
    left[i, j] = x[i, j];
    right[i, j] = x[i, N + j];
}

export fn mlp(x: f16[M, K], w1: f16[2*H, K], w2: f32[N, H], b: f32[L, N]) -> (y: f32[M, N]) {
    require L >= 2;
    let h = linear(x, w1);
    let (a, g) = split(h);
    let s[i, j] = a[i, j] * sigmoid(g[i, j]);
    y = linear(rms_norm(s), w2, b[1, ...]);
}

export fn picked(x: f32[M, 8*D], eps: f32 = 1e-6) -> (y: f32[M, D], z: f32[M, D]) {
    let (half, _) = split(x);
    let rounded: bf16 = half;
    let scale = rsqrt(f32(D));
    y[i, j] = group_sum(x)[i, j] * scale;
    z[i, j] = rounded[i, j] + rms_norm(x, eps = eps)[i, 4*j];
}
