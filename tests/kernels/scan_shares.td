// Running sums of few long rows, of which each block has a share.
export fn scan_shares(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = sum[k where k <= j](x[i, k]); }
check scan_shares(M = 2, N = 1100);
check scan_shares(M = 3, N = 257);
check scan_shares(M = 1, N = 1);
check scan_shares(M = 1, N = 0);
