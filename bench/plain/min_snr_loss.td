// The loss of each image, weighted by a clamped signal-to-noise ratio of its step, its mean, and the gradient.
export fn min_snr_loss(p: bf16[B, H, W, C], t: bf16[B, H, W, C], snr: f32[B]) -> (each: f32[B], loss: f32[], dp: bf16[B, H, W, C]) {
    let w[b] = min(snr[b], 5) / snr[b];
    each[b] = w[b] * mean[i, j, c]((p[b, i, j, c] - t[b, i, j, c]) ** 2);
    loss[] = mean[b](each[b]);
    dp[b, i, j, c] = 2 * w[b] * (p[b, i, j, c] - t[b, i, j, c]) / f32(B*H*W*C);
}
check min_snr_loss(B = 3, H = 5, W = 7, C = 3) with snr in 0.1..20.0;
bench min_snr_loss(B = 96, H = 128, W = 128, C = 4) with snr in 0.1..20.0;
