// Sums of rows.
export fn cluster_out(x: f32[M, N]) -> (y: f32[M]) {
    y[r] = sum[n](x[r, n]);
}

check cluster_out(M = 1, N = 1);
check cluster_out(M = 32, N = 128);
check cluster_out(M = 21, N = 77);
check cluster_out(M = 3, N = 0);
