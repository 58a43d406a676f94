// Otsu's threshold from histograms of 256 bins, and pixels above it.
export fn histogram_otsu(h: i32[N, 256], x: u8[N, L]) -> (at: i32[N], y: u8[N, L]) {
    assume 0 <= h[n, v] && h[n, v] < 65536;
    let w[n, v in 256] = sum[u where u <= v](f32(h[n, u]));
    let m[n, v in 256] = sum[u where u <= v](f32(h[n, u]) * f32(u));
    let s[n, v] = (m[n, 255] * w[n, v] - m[n, v] * w[n, 255]) ** 2 / max(w[n, v] * (w[n, 255] - w[n, v]), 1);
    at[n] = i32(argmax[v](s[n, v]));
    y[n, i] = if i32(x[n, i]) > at[n] then 255 else 0;
}
check histogram_otsu(N = 3, L = 501) with x in 0..256;
bench histogram_otsu(N = 64, L = 600001) with x in 0..256, h in 0..4000;
