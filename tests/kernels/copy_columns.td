// Sums of columns.
export fn copy_columns(x: bf16[M, N]) -> (y: f32[N]) {
    y[n] = sum[r](x[r, n]);
}

check copy_columns(M = 1, N = 1);
check copy_columns(M = 37, N = 128);
check copy_columns(M = 40, N = 61);
check copy_columns(M = 0, N = 7);
