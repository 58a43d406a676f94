// An empirical variogram along both directions of maps with gaps, for distances of 1 to 6 cells.
export fn variogram(x: f32[B, H, W], known: bool[B, H, W]) -> (g: f32[B, 2, 6], pairs: i32[B, 2, 6]) {
    let right[b, k in 6, i, j in W] = j + k + 1 < W && known[b, i, j] && known[b, i, min(j + k + 1, W - 1)];
    let down[b, k in 6, i in H, j] = i + k + 1 < H && known[b, i, j] && known[b, min(i + k + 1, H - 1), j];
    pairs[b, 0, k] = sum[i, j](right[b, k, i, j]);
    pairs[b, 1, k] = sum[i, j](down[b, k, i, j]);
    g[b, 0, k] = 0.5 * sum[i, j where right[b, k, i, j]]((x[b, i, j] - pad(x[b, i, j + k + 1], 0)) ** 2) / f32(max(pairs[b, 0, k], 1));
    g[b, 1, k] = 0.5 * sum[i, j where down[b, k, i, j]]((x[b, i, j] - pad(x[b, i + k + 1, j], 0)) ** 2) / f32(max(pairs[b, 1, k], 1));
}
check variogram(B = 3, H = 9, W = 13);
bench variogram(B = 16, H = 512, W = 511);
