// Sums of rows.
export fn cluster_loop(x: f32[M, N]) -> (y: f32[M]) {
    y[r] = sum[n](x[r, n]);
}

check cluster_loop(M = 5, N = 7);
check cluster_loop(M = 9, N = 1700);
check cluster_loop(M = 3, N = 0);
