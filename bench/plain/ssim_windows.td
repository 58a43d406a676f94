// Structural similarity of pairs of images, over windows of 7 x 7.
export fn ssim_windows(x: f32[N, H, W], y: f32[N, H, W]) -> (s: f32[N]) {
    require H >= 7 && W >= 7, "smaller than a window";
    let mx[n, p in H - 6, q in W - 6] = mean[i in 0..7, j in 0..7](x[n, p + i, q + j]);
    let my[n, p in H - 6, q in W - 6] = mean[i in 0..7, j in 0..7](y[n, p + i, q + j]);
    let xx[n, p in H - 6, q in W - 6] = mean[i in 0..7, j in 0..7](x[n, p + i, q + j] ** 2) - mx[n, p, q] ** 2;
    let yy[n, p in H - 6, q in W - 6] = mean[i in 0..7, j in 0..7](y[n, p + i, q + j] ** 2) - my[n, p, q] ** 2;
    let xy[n, p in H - 6, q in W - 6] = mean[i in 0..7, j in 0..7](x[n, p + i, q + j] * y[n, p + i, q + j])
                                      - mx[n, p, q] * my[n, p, q];
    s[n] = mean[p, q]((2 * mx[n, p, q] * my[n, p, q] + 0.0001) * (2 * xy[n, p, q] + 0.0009)
                      / ((mx[n, p, q] ** 2 + my[n, p, q] ** 2 + 0.0001) * (xx[n, p, q] + yy[n, p, q] + 0.0009)));
}
check ssim_windows(N = 2, H = 13, W = 17) with x in 0.0..1.0, y in 0.0..1.0;
bench ssim_windows(N = 32, H = 512, W = 512) with x in 0.0..1.0, y in 0.0..1.0;
