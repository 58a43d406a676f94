// Sums of rows.
export fn last_block(x: f32[M, N]) -> (y: f32[M]) {
    y[r] = sum[n](x[r, n]);
}

check last_block(M = 5, N = 7);
check last_block(M = 9, N = 1700);
check last_block(M = 3, N = 0);
