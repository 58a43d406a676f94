// Guidance without a classifier, brought back to the deviation of the conditioned half, and one step of DDIM.
export fn rescaled_guidance(e: f16[2, B, C, H, W], x: f32[B, C, H, W], scale: f32, a: f32, next: f32) -> (y: f32[B, C, H, W]) {
    let g[b, c, i, j] = e[0, b, c, i, j] + scale * (e[1, b, c, i, j] - e[0, b, c, i, j]);
    let mg[b] = mean[c, i, j](g[b, c, i, j]);
    let mc[b] = mean[c, i, j](e[1, b, c, i, j]);
    let dg[b] = sqrt(mean[c, i, j]((g[b, c, i, j] - mg[b]) ** 2));
    let dc[b] = sqrt(mean[c, i, j]((e[1, b, c, i, j] - mc[b]) ** 2));
    let u[b, c, i, j] = g[b, c, i, j] * (0.7 * dc[b] / dg[b] + 0.3);
    y[b, c, i, j] = sqrt(next) * (x[b, c, i, j] - sqrt(1 - a) * u[b, c, i, j]) / sqrt(a) + sqrt(1 - next) * u[b, c, i, j];
}
check rescaled_guidance(B = 2, C = 4, H = 7, W = 5, scale = 7.5, a = 0.5, next = 0.6);
bench rescaled_guidance(B = 64, C = 16, H = 96, W = 96, scale = 7.5, a = 0.5, next = 0.6);
