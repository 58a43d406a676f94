// Ink on paper: pixels that are darker than the mean of their 11 x 11 neighbours by some, and how much ink a page has.
dim H in 1..;
dim W in 1..;
export fn adaptive_threshold(x: u8[N, H, W], c: f32 = 7) -> (y: bool[N, H, W], ink: f32[N]) {
    let r[n, i, j in W] = sum[k in 0..11](f32(x[n, i, clamp(j + k - 5, 0, W - 1)]));
    let m[n, i in H, j] = sum[k in 0..11](r[n, clamp(i + k - 5, 0, H - 1), j]) / 121;
    y[n, i, j] = f32(x[n, i, j]) < m[n, i, j] - c;
    ink[n] = mean[i, j](f32(y[n, i, j]));
}
check adaptive_threshold(N = 2, H = 17, W = 19) with x in 0..256;
bench adaptive_threshold(N = 8, H = 1754, W = 1240) with x in 0..256;
