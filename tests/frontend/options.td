// Options are the entry's: its own, else the file's. matmul = bf16 casts the factors of products under sums.
option math = fast;
option atomics = ordered;
export fn product(x: f32[M, K], w: f32[N, K]) -> (y: f32[M, N], s: f32[M]) {
    option matmul = bf16;
    y[m, n] = sum[k](x[m, k] * w[n, k]);
    s[m] = sum[k](x[m, k] * x[m, k]);
}
export fn mixed(p: f32[M, K], v: f16[K, N]) -> (y: f32[M, N]) {
    option matmul = f16;
    option accumulate = f32;
    y[m, n] = mean[k](p[m, k] * v[k, n]);
}
export fn exact(x: f32[N]) -> (y: f32[N]) {
    option math = exact;
    option remat = auto;
    option matmul = tf32;
    y[n] = exp(x[n]) / 3.0;
}
export fn fast(x: f32[N]) -> (y: f32[N], z: f64[N]) {
    y[n] = exp(x[n]) / (1.0 + tanh(x[n]));
    z[n] = exp(f64(x[n]));
}
