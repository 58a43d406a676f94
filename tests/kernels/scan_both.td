// Sums of what follows and maxima of what precedes.
export fn scan_both(x: f32[M, 200]) -> (y: f32[M, 200], z: f32[M, 200]) {
    y[r, n] = sum[k where k >= n](x[r, k]);
    z[r, n] = max[k where k < n](x[r, k]);
}

check scan_both(M = 5);
check scan_both(M = 9);
