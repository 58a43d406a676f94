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

// Constants that differ are passed, beside scalars of the entry that have the names they would get.
export fn affine(x: f32[M, N], c0: f32) -> (y: f32[M, N], s: f32[M]) {
    y[i, j] = if x[i, j] > 0.5 then x[i, j] * 4.0 + c0 else x[i, j] / 3.0;
    s[i] = sum[j](max(x[i, j], 0.25));
}
export fn affine_too(z: f32[A, B], c1: f32) -> (t: f32[A, B], r: f32[A]) {
    t[i, j] = if z[i, j] > -0.1 then z[i, j] * 1e-40 + c1 else z[i, j] / 3.0;
    r[i] = sum[j](max(z[i, j], 0.0));
}
// One of them twice, where another entry has two; an exponent; the wide type; a value alone.
export fn twice(x: f64[N]) -> (y: f64[N], z: f64[N]) {
    y[i] = (x[i] + 0.1) * 0.1;
    z[i] = 0.1;
}
export fn two(x: f64[N]) -> (y: f64[N], z: f64[N]) {
    y[i] = (x[i] + 0.1) * 0.2;
    z[i] = 3.3e300;
}
export fn square(x: f32[N]) -> (y: f32[N]) { y[i] = pow(abs(x[i]), 2.5) + 1.0; }
export fn cube(x: f32[N]) -> (y: f32[N]) { y[i] = pow(abs(x[i]), 3.5) + 2.0; }

check affine(M = 9, N = 133, c0 = 2.0);
check affine_too(A = 9, B = 133, c1 = -2.0);
check twice(N = 99);
check two(N = 99);
check square(N = 99);
check cube(N = 99);
