// Running sums along rows of any length.
export fn cumsum_any(x: f32[M, N]) -> (y: f32[M, N]) {
    y[r, n] = sum[k where k <= n](x[r, k]);
}

check cumsum_any(M = 1, N = 1);
check cumsum_any(M = 3, N = 1021);
check cumsum_any(M = 2, N = 4096);
check cumsum_any(M = 2, N = 0);
bench cumsum_any(M = 8192, N = 8192);
