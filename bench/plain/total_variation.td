// The total variation of each image, and its gradient.
export fn total_variation(x: f32[N, C, H, W]) -> (loss: f32[N], g: f32[N, C, H, W]) {
    loss[n] = sum[c, i, j where i > 0](abs(x[n, c, i, j] - x[n, c, i - 1, j]))
            + sum[c, i, j where j > 0](abs(x[n, c, i, j] - x[n, c, i, j - 1]));
    g[n, c, i, j] = (if i > 0 then sign(x[n, c, i, j] - x[n, c, i - 1, j]) else 0)
                  + (if i < H - 1 then sign(x[n, c, i, j] - x[n, c, i + 1, j]) else 0)
                  + (if j > 0 then sign(x[n, c, i, j] - x[n, c, i, j - 1]) else 0)
                  + (if j < W - 1 then sign(x[n, c, i, j] - x[n, c, i, j + 1]) else 0);
}
check total_variation(N = 3, C = 2, H = 7, W = 9);
bench total_variation(N = 32, C = 3, H = 360, W = 481);
