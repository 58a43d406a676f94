// Rows that are divided by what they sum to, in place.
export fn in_place_rows(inout x: f32[M, N], w: f32[N]) {
    let s[i] = sum[j](x[i, j] * x[i, j]);
    x[i, j] = x[i, j] * rsqrt(s[i] + 1.0) * w[j];
}
check in_place_rows(M = 5, N = 37);
check in_place_rows(M = 0, N = 3);
check in_place_rows(M = 3, N = 130);
