// Batch statistics over all leading axes, of few channels, and the result.
export fn batch_norm_last_relu(x: bf16[N, H, W, C], g: f32[C], b: f32[C]) -> (y: bf16[N, H, W, C]) {
    let mu[c] = mean[n, i, j](x[n, i, j, c]);
    let va[c] = mean[n, i, j]((x[n, i, j, c] - mu[c]) ** 2);
    y[n, i, j, c] = relu((x[n, i, j, c] - mu[c]) * rsqrt(va[c] + 1e-5) * g[c] + b[c]);
}
check batch_norm_last_relu(N = 2, H = 5, W = 3, C = 12);
bench batch_norm_last_relu(N = 32, H = 112, W = 112, C = 48);
