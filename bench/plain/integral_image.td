// Integral images of bytes, and of their squares.
export fn integral_image(x: u8[N, H, W]) -> (s: i32[N, H, W], q: f32[N, H, W]) {
    let r[n, i, j] = sum[k where k <= j](i32(x[n, i, k]));
    let f[n, i, j] = sum[k where k <= j](f32(x[n, i, k]) ** 2);
    s[n, i, j] = sum[k where k <= i](r[n, k, j]);
    q[n, i, j] = sum[k where k <= i](f[n, k, j]);
}
check integral_image(N = 2, H = 11, W = 13) with x in 0..256;
bench integral_image(N = 8, H = 720, W = 1280) with x in 0..256;
