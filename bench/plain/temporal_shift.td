// Temporal shift of a video network: an eighth of the channels comes from the next frame, an eighth from the one before.
export fn temporal_shift(x: bf16[B, T, 8*C, H, W]) -> (y: bf16[B, T, 8*C, H, W]) {
    y[b, t, k, i, j] = if k < C then pad(x[b, t + 1, k, i, j], 0)
                       else if k < 2*C then pad(x[b, t - 1, k, i, j], 0)
                       else x[b, t, k, i, j];
}
check temporal_shift(B = 2, T = 3, C = 2, H = 3, W = 5);
bench temporal_shift(B = 8, T = 16, C = 16, H = 28, W = 28);
