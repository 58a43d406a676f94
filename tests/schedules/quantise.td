// Rows of 4-bit elements, read and written: rows of an odd length share bytes.
export fn quantise(x: f16[M, N], w: u4[M, N]) -> (q: i4[M, N], p: f8e4m3[N, M]) {
    let top[i] = max[j](abs(x[i, j]) + f32(w[i, j]) * 0.125);
    q[i, j] = i4(round(x[i, j] / top[i] * 7.0));
    p[j, i] = x[i, j] * f32(w[i, j]);
}
check quantise(M = 5, N = 77);
check quantise(M = 2, N = 64);
check quantise(M = 1, N = 1);
check quantise(M = 3, N = 0);
