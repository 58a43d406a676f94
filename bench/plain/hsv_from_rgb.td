// RGB planes to hue, saturation and value.
export fn hsv_from_rgb(x: f16[N, 3, H, W]) -> (y: f16[N, 3, H, W]) {
    let hi[n, i, j] = max[c](x[n, c, i, j]);
    let d[n, i, j] = hi[n, i, j] - min[c](x[n, c, i, j]);
    let k[n, i, j] = argmax[c](x[n, c, i, j]);
    let h[n, i, j] = f32(2 * k[n, i, j]) + (if k[n, i, j] == 0 then x[n, 1, i, j] - x[n, 2, i, j] else if k[n, i, j] == 1 then x[n, 2, i, j] - x[n, 0, i, j] else x[n, 0, i, j] - x[n, 1, i, j]) / max(d[n, i, j], 1e-6);
    y[n, 0, i, j] = h[n, i, j] / 6 % 1.0;
    y[n, 1, i, j] = d[n, i, j] / max(hi[n, i, j], 1e-6);
    y[n, 2, i, j] = hi[n, i, j];
}
check hsv_from_rgb(N = 2, H = 7, W = 9) with x in 0.0..1.0;
bench hsv_from_rgb(N = 16, H = 512, W = 513) with x in 0.0..1.0;
