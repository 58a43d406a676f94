// Entries and layers whose kernels are the same: one text runs in all places, each with its own tensors, dimensions and
// scalars.
fn layer(x: f32[M, N], eps: f32) -> (y: f32[M, N]) {
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp(x[i, j] - m[i]));
    y[i, j] = exp(x[i, j] - m[i]) / (s[i] + eps);
}

export fn stack(x: f32[M, N], w: f32[N, N], eps: f32) -> (y: f32[M, N]) {
    let a = layer(x, eps);
    let b[i, j] = sum[k](a[i, k] * w[k, j]);
    let c = layer(b, eps);
    let d[i, j] = sum[k](c[i, k] * w[k, j]);
    y = layer(d, eps);
}

// Other places for everything.
export fn apart(s: f32[Q, P], scale: f32, z: f32[P, K], eps: f32) -> (t: f32[Q], u: f32[P, K]) {
    t[q] = scale * sum[p](s[q, p]);
    u = layer(z, eps);
}

// One product of the library in three places, with other sizes and tensors.
export fn products(x: f16[A, B], w: f16[B, C], v: f16[C, B]) -> (y: f16[A, C]) {
    let p: f16[i, j] = sum[k](f32(x[i, k]) * f32(w[k, j]));
    let q: f16[i, j] = sum[k](f32(p[i, k]) * f32(v[k, j]));
    y[i, j] = sum[k](f32(q[i, k]) * f32(w[k, j]));
}

// A scalar at another place.
export fn scaled(a: f32, b: f32, x: f32[N]) -> (y: f32[N], z: f32[N]) {
    y[i] = x[i] * a;
    let first[i] = y[i] + 0.0;
    z[N - 1 - i] = first[i] * b;
}
export fn scaled_too(c: f32, u: f32[K]) -> (v: f32[K]) {
    v[i] = u[i] * c;
}

check stack(M = 5, N = 40, eps = 0.5);
check stack(M = 64, N = 72, eps = 0.0);
check apart(Q = 3, P = 9, K = 130, scale = 2.0, eps = 0.25);
check products(A = 7, B = 72, C = 40) with w ~ 0.2, v ~ 0.2;
check products(A = 64, B = 80, C = 96) with w ~ 0.2, v ~ 0.2;
check scaled(N = 1000, a = 3.0, b = 0.5);
check scaled_too(K = 77, c = -1.5);
