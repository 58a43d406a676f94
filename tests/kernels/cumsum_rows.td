// runs long
// Running sums along rows.
export fn cumsum_rows(x: f32[M, 8192]) -> (y: f32[M, 8192]) {
    y[r, n] = sum[k where k <= n](x[r, k]);
}

check cumsum_rows(M = 1);
check cumsum_rows(M = 3);
bench cumsum_rows(M = 8192);
