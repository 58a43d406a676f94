// A product whose groups are normalised is computed once: the kernel after the statistics reads it.
export fn group_product(x: f32[M, K], w: f32[4*F, K]) -> (y: f32[M, 4*F]) {
    let t[i, j] = sum[k](x[i, k] * w[j, k]);
    let mu[i in M, g in 4] = mean[a in 0..F](t[i, g*F + a]);
    let va[i in M, g in 4] = mean[a in 0..F]((t[i, g*F + a] - mu[i, g]) ** 2);
    y[i, j] = (t[i, j] - mu[i, j/F]) * rsqrt(va[i, j/F] + 1e-5);
}

// A sum that is read twice with other factors is one product, what follows another kernel.
export fn gelu_exact(x: bf16[M, K], w: bf16[K, N], b: f32[N]) -> (y: bf16[M, N]) {
    let v[i, j] = sum[k](x[i, k] * w[k, j]) + b[j];
    y[i, j] = 0.5 * v[i, j] * (1 + erf(v[i, j] * 0.7071067811865476));
}
