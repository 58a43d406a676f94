// A saved mask of dropout, the residual sum and its layer norm, in rows of odd length.
export fn dropout_add_norm(x: f16[M, N], keep: u8[M, N], r: f16[M, N], g: f16[N], b: f16[N])
        -> (h: f16[M, N], y: f16[M, N]) {
    h[i, j] = (if keep[i, j] != 0 then x[i, j] / 0.9 else 0) + r[i, j];
    let mu[i] = mean[j](h[i, j]);
    let va[i] = mean[j]((h[i, j] - mu[i]) ** 2);
    y[i, j] = (h[i, j] - mu[i]) * rsqrt(va[i] + 1e-5) * g[j] + b[j];
}
check dropout_add_norm(M = 5, N = 37) with keep in 0..2;
bench dropout_add_norm(M = 32768, N = 1021) with keep in 0..2;
