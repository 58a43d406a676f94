// Lengths that are not known when a kernel is made: rows that begin at any element, and such that all are aligned.
export fn un_cosine(x: f16[M, N], y: f16[M, N]) -> (z: f32[M]) {
    z[i] = sum[j](f32(x[i, j]) * f32(y[i, j])) * rsqrt(sum[j](f32(x[i, j]) ** 2) * sum[j](f32(y[i, j]) ** 2) + 1e-8);
}
bench un_cosine(M = 65536, N = 777);
bench un_cosine(M = 20000, N = 3333);
bench un_cosine(M = 16384, N = 2048);

export fn un_norm(x: bf16[M, N], r: bf16[M, N], g: bf16[N]) -> (h: bf16[M, N], y: bf16[M, N]) {
    h[i, j] = x[i, j] + r[i, j];
    let s[i] = rsqrt(sum[j](f32(h[i, j]) ** 2) / N + 1e-6);
    y[i, j] = h[i, j] * s[i] * g[j];
}
bench un_norm(M = 8192, N = 4096);
bench un_norm(M = 32768, N = 1021);
bench un_norm(M = 300000, N = 99);
bench un_norm(M = 1000, N = 30001);

export fn un_masked(x: f16[M, N], keep: u8[M, N], g: f16[N]) -> (y: f16[M, N]) {
    let h[i, j] = if keep[i, j] != 0 then x[i, j] / 0.9 else 0;
    let mu[i] = sum[j](f32(h[i, j])) / N;
    let va[i] = sum[j]((h[i, j] - mu[i]) ** 2) / N;
    y[i, j] = (h[i, j] - mu[i]) * rsqrt(va[i] + 1e-5) * g[j];
}
bench un_masked(M = 32768, N = 1021) with keep in 0..2;
bench un_masked(M = 16384, N = 2560) with keep in 0..2;
bench un_masked(M = 4000, N = 10007) with keep in 0..2;

export fn un_softmax(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp(x[i, j] - m[i]));
    y[i, j] = exp(x[i, j] - m[i]) / s[i];
}
bench un_softmax(M = 16384, N = 1000);
bench un_softmax(M = 30000, N = 1777);
bench un_softmax(M = 2000, N = 32003);
bench un_softmax(M = 1000000, N = 57);
bench un_softmax(M = 512, N = 131073);

export fn un_entropy(x: bf16[M, N]) -> (z: f32[M], e: f32[M]) {
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp((x[i, j] - m[i]) * 2));
    z[i] = 2 * m[i] + log(s[i]);
    e[i] = log(s[i]) - sum[j](exp((x[i, j] - m[i]) * 2) * ((x[i, j] - m[i]) * 2)) / s[i];
}
bench un_entropy(M = 4096, N = 32003);
bench un_entropy(M = 16384, N = 5003);
bench un_entropy(M = 8192, N = 16384);

export fn un_quantise(x: bf16[M, 2*N]) -> (q: i8[M, N], s: f32[M]) {
    let h[i, j in 0..N] = x[i, j] / (1 + exp(-x[i, j])) * x[i, j + N];
    s[i] = max[j](abs(h[i, j])) / 127 + 1e-9;
    q[i, j] = i8(clamp(round(h[i, j] / s[i]), -127, 127));
}
bench un_quantise(M = 8192, N = 5504);
bench un_quantise(M = 16384, N = 1365);
bench un_quantise(M = 2000, N = 14001);

export fn un_moments(x: f32[M, N]) -> (mu: f32[M], va: f32[M], top: f32[M]) {
    mu[i] = sum[j](x[i, j]) / N;
    va[i] = sum[j]((x[i, j] - mu[i]) ** 2) / N;
    top[i] = max[j](x[i, j]);
}
bench un_moments(M = 16384, N = 1999);
bench un_moments(M = 400000, N = 65);
bench un_moments(M = 8192, N = 3072);

export fn un_columns(x: bf16[M, N]) -> (s: f32[N], q: f32[N]) {
    s[j] = sum[i](f32(x[i, j]));
    q[j] = sum[i](f32(x[i, j]) ** 2);
}
bench un_columns(M = 16384, N = 4096);
bench un_columns(M = 30000, N = 1001);
bench un_columns(M = 500000, N = 67);

export fn un_pool(x: bf16[B, S, D], mask: bool[B, S]) -> (y: f32[B, D]) {
    y[b, d] = sum[s where mask[b, s]](f32(x[b, s, d])) / f32(max(sum[s where mask[b, s]](1), 1));
}
bench un_pool(B = 64, S = 512, D = 1024);
bench un_pool(B = 100, S = 700, D = 333);

export fn un_groups(x: f16[N, S, 32*K]) -> (y: f16[N, S, 32*K]) {
    let mu[n, g in 0..32] = sum[s, k in 0..K](f32(x[n, s, K*g + k])) / (S * K);
    let va[n, g in 0..32] = sum[s, k in 0..K]((x[n, s, K*g + k] - mu[n, g]) ** 2) / (S * K);
    y[n, s, c] = (x[n, s, c] - mu[n, c / K]) * rsqrt(va[n, c / K] + 1e-5);
}
bench un_groups(N = 16, S = 4096, K = 10);
bench un_groups(N = 64, S = 1024, K = 8);

export fn un_ragged(x: f16[T, D], off: i64[B + 1]) -> (y: f32[B, D]) {
    assume 0 <= off[b] && off[b] <= T;
    y[b, d] = sum[t in off[b]..off[b + 1]](f32(x[t, d]));
}
bench un_ragged(T = 262144, D = 256, B = 4099) with off in 0..T;
bench un_ragged(T = 400000, D = 77, B = 20000) with off in 0..T;

export fn un_pieces(a: bf16[M, N], b: bf16[M, N]) -> (y: bf16[M, 2*N]) {
    y[i, j in 0..N] = a[i, j] * 2;
    y[i, j in N..2*N] = b[i, j - N] + 1;
}
bench un_pieces(M = 16384, N = 1021);
bench un_pieces(M = 16384, N = 2048);

export fn un_turned(x: bf16[M, N]) -> (y: bf16[N, M]) { y[j, i] = x[i, j] * 2; }
bench un_turned(M = 8191, N = 4099);
bench un_turned(M = 8192, N = 4096);
bench un_turned(M = 1000001, N = 30);
