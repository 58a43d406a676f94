// Sums of rows.
export fn cluster_thread(x: f32[M, N]) -> (y: f32[M]) {
    y[r] = sum[n](x[r, n]);
}

check cluster_thread(M = 5, N = 7);
check cluster_thread(M = 9, N = 100);
check cluster_thread(M = 3, N = 0);
