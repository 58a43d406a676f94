// runs long
// Sums of the columns of a tall matrix.
export fn column_sum(x: bf16[M, 4096]) -> (y: bf16[4096]) {
    y[n] = sum[r](x[r, n]);
}

check column_sum(M = 1);
check column_sum(M = 67);
check column_sum(M = 2115); // check-all
check column_sum(M = 0);
bench column_sum(M = 131072);
