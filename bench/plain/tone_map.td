// Reinhard's tone mapping of planes, with the brightest luminance of each image as white.
export fn tone_map(x: f32[N, 3, H, W]) -> (y: u8[N, H, W, 3]) {
    let l[n, i, j] = 0.2126 * x[n, 0, i, j] + 0.7152 * x[n, 1, i, j] + 0.0722 * x[n, 2, i, j];
    let a[n] = 0.18 / exp(mean[i, j](log(l[n, i, j] + 1e-4)));
    let white[n] = max[i, j](a[n] * l[n, i, j]);
    let s[n, i, j] = a[n] * (1 + a[n] * l[n, i, j] / white[n] ** 2) / (1 + a[n] * l[n, i, j]);
    y[n, i, j, c] = u8(255 * clamp(x[n, c, i, j] * s[n, i, j], 0, 1) ** 0.45454545 + 0.5);
}
check tone_map(N = 2, H = 7, W = 9) with x in 0.01..4.0;
bench tone_map(N = 12, H = 540, W = 961) with x in 0.01..4.0;
