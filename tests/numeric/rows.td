// Calls of tensor functions on slices that depend on index variables, and tensors as parameters of functions on elements.
fn softmax<T>(x: T[N]) -> (y: acc(T)[N]) {
    let m = max[n](x[n]);
    let e[n] = exp(x[n] - m);
    let s = sum[n](e[n]);
    y[n] = e[n] / s;
}
fn scaled(x: f32[M, N], a: f32, b: f32[N] = 0) -> (y: f32[M, N]) {
    let s[m] = sum[n](x[m, n]);
    y[m, n] = a * x[m, n] / (1 + abs(s[m])) + b[n];
}
fn dot(x: f32[N], y: f32[N]) = sum[n](x[n] * y[n]);
fn at(x: f32[M, N], i, j: i64) -> f32 { let v = x[i, j]; return v * v; }
fn first(x: f32[N], k: int) = softmax(x)[k];

export fn rows(x: f32[B, H, N]) -> (y: f32[B, H, N]) { y[b, h, n] = softmax(x[b, h, ...])[n]; }
export fn let_rows(x: f32[B, N]) -> (y: f32[B]) {
    let p[b, n] = softmax(x[b, ...])[n];
    y[b] = sum[n](p[b, n] * p[b, n]);
}
export fn inside(x: f32[B, N]) -> (y: f32[]) { y[] = max[b in 0..B](sum[n](softmax(x[b, ...])[n] * n)); }
export fn per_layer(x: f32[M, N], w: f32[L, N], a: f32[L]) -> (y: f32[L, M, N], r: f32[M]) {
    y[l, m, n] = scaled(x, a[l], b = w[l, ...])[m, n] ;
    r[m] = sum[l](a[l] * m);
}
export fn chosen(x: f32[B, N], id: i32[B]) -> (y: f32[B, N]) {
    assume 0 <= id[b] && id[b] < B;
    y[b, n] = softmax(x[id[b], ...])[n];
}
export fn shifted(x: f32[B, N]) -> (y: f32[B, N]) {
    y[b, n] = if b > 0 then 1.0 else softmax(x[B - 1 - b, ...])[n];
}
export fn gram(x: f32[M, N]) -> (g: f32[M, M], d: f32[M]) {
    g[i, j] = dot(x[i, ...], x[j, ...]) + at(x, i, 0) + first(x[j, ...], 1);
    d[i] = dot(x[i, ...], x[M - 1 - i, ...]);
}
export fn nested(x: f32[B, M, N]) -> (y: f32[B, M]) {
    y[b, m] = dot(scaled(scaled2(x[b, ...]), 2.0, 1)[m, ...], x[b, m, ...]);
}
fn scaled2(x: f32[M, N]) -> (z: f32[M, N]) { z[m, n] = softmax(x[m, ...])[n] + softmax(x[M - 1 - m, ...])[n]; }

export fn late(x: f32[B, M, N]) -> (y: f32[M]) {
    let p[n, m, b] = softmax(x[b, m, ...])[n];
    y[m] = sum[b, n](p[n, m, b] * n) + max[n, b](softmax(x[b, m, ...])[n]);
}
dim N in 2..=4096;
check rows(B = 3, H = 2, N = 37);
check let_rows(B = 5, N = 9);
check inside(B = 4, N = 11);
check per_layer(M = 3, N = 5, L = 4);
check chosen(B = 6, N = 17);
check shifted(B = 3, N = 4);
check gram(M = 5, N = 7);
check nested(B = 2, M = 3, N = 4);
check rows(B = 0, H = 2, N = 5);
check late(B = 3, M = 2, N = 5);

/// Several sums of one row that share what they read; one has a condition of its own.
export fn temperatures(x: bf16[M, N]) -> (hot: f32[M], cold: f32[M], entropy: f32[M], some: f32[M]) {
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp((x[i, j] - m[i]) * 0.5));
    let z[i] = sum[j](exp((x[i, j] - m[i]) * 2));
    hot[i] = 0.5 * m[i] + log(s[i]);
    cold[i] = 2 * m[i] + log(z[i]);
    entropy[i] = log(z[i]) - sum[j](exp((x[i, j] - m[i]) * 2) * ((x[i, j] - m[i]) * 2)) / z[i];
    some[i] = sum[j where x[i, j] > 0.0](x[i, j] - m[i]) + sum[j where x[i, j] > 0.0](x[i, j] * m[i]);
}
export fn moments(x: f32[M, 1021]) -> (a: f32[M], b: f32[M], c: f32[M], d: f32[M], e: f32[M]) {
    a[i] = sum[j](x[i, j]);
    b[i] = sum[j](x[i, j] * x[i, j]);
    c[i] = sum[j](x[i, j] * x[i, j] * x[i, j]);
    d[i] = sum[j](abs(x[i, j]));
    e[i] = sum[j in 0..1021](1.0);
}
check temperatures(M = 3, N = 1021);
check temperatures(M = 5, N = 64);
check temperatures(M = 2, N = 2);
check moments(M = 3);

/// What has reductions of rows is read at other places of its row.
export fn turned_norm(x: bf16[B, S, H, 2*D], w: f32[2*D]) -> (y: bf16[B, H, S, 2*D], z: f32[B, S, H, D]) {
    let r[b, i, h] = rsqrt(mean[d](f32(x[b, i, h, d]) ** 2) + 1e-6);
    let n[b, i, h, d] = x[b, i, h, d] * r[b, i, h] * w[d];
    let t[b, h, i, d] = n[b, i, h, d];
    y[b, h, i, d] = if d < D then t[b, h, i, d] - t[b, h, i, D + d] else t[b, h, i, d] + t[b, h, i, d - D];
    z[b, i, h, d] = n[b, i, h, 2*d] * n[b, i, h, 2*d + 1];
}
export fn corner(x: f32[N, N]) -> (y: f32[N]) {
    let s[i, j] = sum[k](x[i, k]) * x[j, i];
    y[i] = s[i, i] + s[i, N - 1 - i] + s[N - 1 - i, i];
}
check turned_norm(B = 2, S = 3, H = 2, D = 5);
check turned_norm(B = 1, S = 2, H = 3, D = 32);
check corner(N = 9);
