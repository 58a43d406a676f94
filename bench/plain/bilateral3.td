// A bilateral filter of 3 x 3 over depth in millimetres, which leaves out what is far off or missing.
dim H in 1..;
dim W in 1..;
export fn bilateral3(d: u16[N, H, W]) -> (y: f32[N, H, W]) {
    let z[n, i, j] = f32(d[n, i, j]);
    let w[n, i in H, j in W, r in 3, s in 3] = if z[n, clamp(i + r - 1, 0, H - 1), clamp(j + s - 1, 0, W - 1)] > 0
        then exp(-0.001 * (z[n, clamp(i + r - 1, 0, H - 1), clamp(j + s - 1, 0, W - 1)] - z[n, i, j]) ** 2) else 0;
    let t[n, i, j] = sum[r in 0..3, s in 0..3](w[n, i, j, r, s] * z[n, clamp(i + r - 1, 0, H - 1), clamp(j + s - 1, 0, W - 1)]);
    y[n, i, j] = t[n, i, j] / max(sum[r in 0..3, s in 0..3](w[n, i, j, r, s]), 1e-6);
}
check bilateral3(N = 2, H = 9, W = 11) with d in 1000..1100;
bench bilateral3(N = 16, H = 480, W = 641) with d in 1000..1100;
