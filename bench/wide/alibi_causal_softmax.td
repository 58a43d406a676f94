// Scores of a causal decoder, whose bias grows with the distance: what lies ahead is left out.
export fn alibi_causal_softmax(s: f16[B, H, L, L], slope: f32[H]) -> (y: f16[B, H, L, L]) {
    let m[b, h, i] = max[k where k <= i](s[b, h, i, k] + slope[h] * (k - i));
    let z[b, h, i] = sum[k where k <= i](exp(s[b, h, i, k] + slope[h] * (k - i) - m[b, h, i]));
    y[b, h, i, j] = if j <= i then exp(s[b, h, i, j] + slope[h] * (j - i) - m[b, h, i]) / z[b, h, i] else 0;
}
check alibi_causal_softmax(B = 2, H = 3, L = 37) with slope in 0.0..0.5;
bench alibi_causal_softmax(B = 2, H = 16, L = 1024) with slope in 0.0..0.5;
