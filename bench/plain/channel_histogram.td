// Histograms of 64 bins of each channel of each image, as shares.
export fn channel_histogram(x: u8[N, H, W, C]) -> (h: f32[N, C, 64]) {
    let k[n, c, v in 64] = sum[i, j where x[n, i, j, c] / 4 == v](1);
    h[n, c, v] = f32(k[n, c, v]) / f32(max(i32(H * W), 1));
}
check channel_histogram(N = 2, H = 17, W = 19, C = 3) with x in 0..256;
bench channel_histogram(N = 64, H = 480, W = 640, C = 3) with x in 0..256;
