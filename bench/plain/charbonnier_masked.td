// The Charbonnier loss of restored images where a mask is, by image, and an edge term of horizontal differences.
export fn charbonnier_masked(x: f16[N, C, H, W], t: f16[N, C, H, W], m: u8[N, H, W]) -> (loss: f32[N], edge: f32[N]) {
    let d[n, c, i, j] = f32(x[n, c, i, j]) - t[n, c, i, j];
    let area[n] = f32(max(sum[i, j where m[n, i, j] != 0](1), 1));
    loss[n] = sum[c, i, j where m[n, i, j] != 0](sqrt(d[n, c, i, j] ** 2 + 1e-6)) / area[n];
    edge[n] = mean[c, i, j where j >= 1](abs(d[n, c, i, j] - d[n, c, i, j - 1]));
}
check charbonnier_masked(N = 3, C = 3, H = 7, W = 9) with m in 0..2;
bench charbonnier_masked(N = 16, C = 3, H = 512, W = 511) with m in 0..2;
