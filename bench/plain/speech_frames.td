// Frames of 25 ms, each without its mean, with pre-emphasis and a window; and the logarithm of its energy.
export fn speech_frames(x: f32[B, T], w: f32[400]) -> (y: f32[B, (T - 400)/160 + 1, 400], e: f32[B, (T - 400)/160 + 1]) {
    let m[b, f in (T - 400)/160 + 1] = mean[k in 0..400](x[b, 160*f + k]);
    let d[b, f in (T - 400)/160 + 1, k in 400] = x[b, 160*f + k] - m[b, f];
    y[b, f, k] = (d[b, f, k] - 0.97 * d[b, f, max(k - 1, 0)]) * w[k];
    e[b, f] = log(max(sum[k](d[b, f, k] ** 2), 1e-10));
}
check speech_frames(B = 2, T = 1003);
bench speech_frames(B = 32, T = 160000);
