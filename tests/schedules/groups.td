// Statistics of groups of channels, read back by a quotient of the channel.
export fn groups(x: f32[B, H, 4 * G]) -> (y: f32[B, H, 4 * G]) {
    let mu[n, g in G] = mean[h in 0..H, k in 0..4](x[n, h, 4 * g + k]);
    let va[n, g in G] = mean[h in 0..H, k in 0..4]((x[n, h, 4 * g + k] - mu[n, g]) * (x[n, h, 4 * g + k] - mu[n, g]));
    y[n, h, c] = (x[n, h, c] - mu[n, c / 4]) * rsqrt(va[n, c / 4] + 1e-5);
}
check groups(B = 2, H = 13, G = 3);
check groups(B = 1, H = 1, G = 1);
check groups(B = 2, H = 0, G = 2);
check groups(B = 2, H = 4, G = 8);
