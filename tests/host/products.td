// Entries whose products the library runs, for products.c. clause 10.8
dim K in 1..=65536 divisible 2;

// A product beside a residual and a bias.
export fn linear(x: bf16[M, K], w: bf16[N, K], b: bf16[N], r: bf16[M, N]) -> (y: bf16[M, N]) {
    y[i, j] = r[i, j] + b[j] + sum[k](x[i, k] * w[j, k]);
}

// Two with a temporary between them.
export fn mlp(x: f16[M, K], u: f16[N, K], v: f16[K, N]) -> (y: f16[M, K]) {
    let h: f16[i, j] = max(sum[k](x[i, k] * u[j, k]), 0);
    y[i, k] = sum[j](h[i, j] * v[k, j]);
}

// In place, over batches.
export fn update(inout p: f32[B, M, N], a: f32[B, M, K], c: f32[B, K, N], alpha: f32) {
    p[b, i, j] += alpha * sum[k](a[b, i, k] * c[b, k, j]);
}

check linear(M = 5, N = 12, K = 6);
check mlp(M = 5, N = 12, K = 6);
check update(B = 2, M = 5, N = 12, K = 6, alpha = 0.5);
