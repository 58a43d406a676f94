// Scores of content with positions both ways, by clamped distances, and padding left out.
export fn disentangled_scores(c: f16[B, H, S, S], cp: f16[B, H, S, 64], pc: f16[B, H, S, 64], pad_at: bool[B, S]) -> (y: f16[B, H, S, S]) {
    y[b, h, i, j] = if pad_at[b, j] then -inf
        else (c[b, h, i, j] + cp[b, h, i, clamp(i - j + 32, 0, 63)] + pc[b, h, j, clamp(j - i + 32, 0, 63)]) / sqrt(192.0);
}
check disentangled_scores(B = 2, H = 3, S = 37);
bench disentangled_scores(B = 8, H = 12, S = 512);
