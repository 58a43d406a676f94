// Three outputs of one kernel, two of them a row's statistics.
export fn layernorm(x: f16[M, N], g: f16[N], b: f16[N], eps: f32 = 1e-5) -> (y: f16[M, N], mu: f32[M], inv: f32[M]) {
    mu[i] = mean[n](x[i, n]);
    inv[i] = rsqrt(mean[n]((x[i, n] - mu[i]) * (x[i, n] - mu[i])) + eps);
    y[i, n] = (x[i, n] - mu[i]) * inv[i] * g[n] + b[n];
}
check layernorm(M = 5, N = 101);
check layernorm(M = 1, N = 2);
check layernorm(M = 0, N = 4);
check layernorm(M = 3, N = 192);
