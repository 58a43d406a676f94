// Noisy images of given steps of a diffusion, and what the model has to say about them.
export fn add_noise_v(x: f16[B, C, H, W], noise: f16[B, C, H, W], t: i32[B], alpha: f32[1000])
        -> (xt: f16[B, C, H, W], v: f16[B, C, H, W]) {
    assume 0 <= t[b] && t[b] < 1000;
    let a[b] = sqrt(alpha[t[b]]);
    let s[b] = sqrt(1 - alpha[t[b]]);
    xt[b, c, i, j] = a[b] * x[b, c, i, j] + s[b] * noise[b, c, i, j];
    v[b, c, i, j] = a[b] * noise[b, c, i, j] - s[b] * x[b, c, i, j];
}
check add_noise_v(B = 3, C = 4, H = 5, W = 7) with alpha in 0.01..0.99;
bench add_noise_v(B = 128, C = 4, H = 128, W = 128) with alpha in 0.01..0.99;
