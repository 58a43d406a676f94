// Rows of any length less their greatest, times weights that lie otherwise than the rows do.
export fn peel_weights(x: f16[M, N], g: f16[N], b: f32[N], c: i8[N]) -> (y: f16[M, N]) {
    assume N <= 505;
    let m[r] = max[n](x[r, n]);
    y[r, n] = (x[r, n] - m[r]) * g[n] + b[n] + f32(c[n]);
}

check peel_weights(M = 1, N = 1);
check peel_weights(M = 2, N = 0);
check peel_weights(M = 9, N = 505);
check peel_weights(M = 10, N = 504);
check peel_weights(M = 17, N = 61);
check peel_weights(M = 8, N = 7);
