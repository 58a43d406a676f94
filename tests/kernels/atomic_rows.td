// Maxima of rows and sums of columns of integers.
export fn atomic_rows(x: i32[M, N]) -> (y: i32[M], z: i32[N]) {
    y[r] = max[n](x[r, n]);
    z[n] = sum[r](x[r, n]);
}

check atomic_rows(M = 5, N = 7);
check atomic_rows(M = 9, N = 700);
