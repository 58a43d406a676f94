// Mean and logarithm of the variance from the halves of the channels, a sample, and the divergence of each image.
export fn gaussian_latents(h: f16[N, 2*C, H, W], seed: i64) -> (z: f16[N, C, H, W], kl: f32[N]) {
    let s[n, c, i, j] = clamp(h[n, C + c, i, j], -30, 20);
    let u[n, c in C, i, j] = 1 - random(seed, 0, flat(n, c, i, j));
    let v[n, c in C, i, j] = random(seed, 1, flat(n, c, i, j));
    let e[n, c, i, j] = sqrt(-2 * log(u[n, c, i, j])) * cos(6.283185307 * v[n, c, i, j]);
    z[n, c, i, j] = h[n, c, i, j] + exp(0.5 * s[n, c, i, j]) * e[n, c, i, j];
    kl[n] = 0.5 * sum[c in C, i, j](h[n, c, i, j] ** 2 + exp(s[n, c, i, j]) - 1 - s[n, c, i, j]);
}
check gaussian_latents(N = 2, C = 3, H = 5, W = 7, seed = 7);
bench gaussian_latents(N = 64, C = 16, H = 96, W = 96, seed = 7);
