// Video frames from RGB to NV12: luma for each pixel, both chroma values for each 2 x 2, in fixed point (BT.601).
export fn nv12_from_rgb(x: u8[N, 2*P, 2*Q, 3]) -> (y: u8[N, 2*P, 2*Q], uv: u8[N, P, Q, 2]) {
    y[n, i, j] = u8(((66 * x[n, i, j, 0] + 129 * x[n, i, j, 1] + 25 * x[n, i, j, 2] + 128) >> 8) + 16);
    let m[n, p in P, q in Q, c] = (sum[i in 0..2, j in 0..2](x[n, 2*p + i, 2*q + j, c]) + 2) >> 2;
    uv[n, p, q, 0] = u8(((112 * m[n, p, q, 2] - 38 * m[n, p, q, 0] - 74 * m[n, p, q, 1] + 128) >> 8) + 128);
    uv[n, p, q, 1] = u8(((112 * m[n, p, q, 0] - 94 * m[n, p, q, 1] - 18 * m[n, p, q, 2] + 128) >> 8) + 128);
}
check nv12_from_rgb(N = 2, P = 3, Q = 5) with x in 0..256;
bench nv12_from_rgb(N = 32, P = 270, Q = 480) with x in 0..256;
