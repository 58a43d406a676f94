// The normalised cross power of two spectra, real and imaginary parts side by side.
export fn phase_correlation(a: f32[B, H, W, 2], b: f32[B, H, W, 2]) -> (y: f32[B, H, W, 2]) {
    let re[n, i, j] = a[n, i, j, 0] * b[n, i, j, 0] + a[n, i, j, 1] * b[n, i, j, 1];
    let im[n, i, j] = a[n, i, j, 1] * b[n, i, j, 0] - a[n, i, j, 0] * b[n, i, j, 1];
    let size[n, i, j] = sqrt(re[n, i, j] ** 2 + im[n, i, j] ** 2);
    y[n, i, j, 0] = re[n, i, j] / max(size[n, i, j], 1e-12);
    y[n, i, j, 1] = im[n, i, j] / max(size[n, i, j], 1e-12);
}
check phase_correlation(B = 3, H = 7, W = 9);
bench phase_correlation(B = 16, H = 512, W = 257);
