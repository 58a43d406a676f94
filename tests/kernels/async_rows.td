// Rows times a vector.
export fn async_rows(x: bf16[M, N], b: f32[N]) -> (y: f32[M, N]) {
    y[r, n] = x[r, n] * b[n];
}

check async_rows(M = 1, N = 1);
check async_rows(M = 5, N = 7);
check async_rows(M = 23, N = 1024);
check async_rows(M = 11, N = 1016);
check async_rows(M = 9, N = 333);
check async_rows(M = 0, N = 16);
