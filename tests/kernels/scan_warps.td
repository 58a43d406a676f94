// Sums of what follows and maxima of what precedes.
export fn scan_warps(x: f32[M, 500]) -> (y: f32[M, 500], z: f32[M, 500]) {
    y[r, n] = sum[k where k >= n](x[r, k]);
    z[r, n] = max[k where k < n](x[r, k]);
}

check scan_warps(M = 5);
check scan_warps(M = 2);
