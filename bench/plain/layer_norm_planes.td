// The layer norm of ConvNeXt where channels lie before the places.
export fn layer_norm_planes(x: f16[N, C, H, W], g: f16[C], b: f16[C]) -> (y: f16[N, C, H, W]) {
    let mu[n, i, j] = mean[c](x[n, c, i, j]);
    let va[n, i, j] = mean[c]((x[n, c, i, j] - mu[n, i, j]) ** 2);
    y[n, c, i, j] = (x[n, c, i, j] - mu[n, i, j]) * rsqrt(va[n, i, j] + 1e-6) * g[c] + b[c];
}
check layer_norm_planes(N = 2, C = 13, H = 5, W = 7);
bench layer_norm_planes(N = 64, C = 192, H = 28, W = 28);
