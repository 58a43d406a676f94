// Scores of a decoder with a memory: those by distance stand in another order, and what lies ahead is left out.
export fn relative_shift(ac: f16[B, H, L, L], bd: f16[B, H, L, L], scale: f32) -> (y: f16[B, H, L, L]) {
    y[b, h, i, j] = if j <= i then scale * (ac[b, h, i, j] + bd[b, h, i, j + L - 1 - i]) else -inf;
}
check relative_shift(B = 2, H = 3, L = 19, scale = 0.125);
bench relative_shift(B = 4, H = 16, L = 513, scale = 0.125);
