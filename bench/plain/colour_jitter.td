// Random brightness, contrast and saturation of a batch; the contrast is around the mean grey of the image.
export fn colour_jitter(x: f16[N, 3, H, W], s: f32[N, 3]) -> (y: f16[N, 3, H, W]) {
    let b[n, c, i, j] = clamp(x[n, c, i, j] * s[n, 0], 0, 1);
    let g[n, i, j] = 0.299 * b[n, 0, i, j] + 0.587 * b[n, 1, i, j] + 0.114 * b[n, 2, i, j];
    let m[n] = mean[i, j](g[n, i, j]);
    let k[n, c, i, j] = clamp(m[n] + s[n, 1] * (b[n, c, i, j] - m[n]), 0, 1);
    let e[n, i, j] = 0.299 * k[n, 0, i, j] + 0.587 * k[n, 1, i, j] + 0.114 * k[n, 2, i, j];
    y[n, c, i, j] = clamp(e[n, i, j] + s[n, 2] * (k[n, c, i, j] - e[n, i, j]), 0, 1);
}
check colour_jitter(N = 3, H = 7, W = 9) with x in 0.0..1.0, s in 0.6..1.4;
bench colour_jitter(N = 64, H = 224, W = 224) with x in 0.0..1.0, s in 0.6..1.4;
