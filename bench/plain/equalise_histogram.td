// Histogram equalisation of grey images, each by its own histogram, which is kept.
export fn equalise_histogram(x: u8[N, L]) -> (y: u8[N, L], h: i32[N, 256]) {
    h[n, v] = sum[i where i32(x[n, i]) == v](1);
    let cdf[n, v in 256] = sum[u where u <= v](h[n, u]);
    let first[n] = min[v where cdf[n, v] > 0](cdf[n, v]);
    let rest[n] = max(i32(L) - first[n], 1);
    let lut: u8[n, v in 256] = u8((max(cdf[n, v] - first[n], 0) * 255 + rest[n] / 2) / rest[n]);
    y[n, i] = lut[n, x[n, i]];
}
check equalise_histogram(N = 3, L = 1001) with x in 20..90;
bench equalise_histogram(N = 128, L = 262144) with x in 0..256;
