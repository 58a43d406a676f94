// Twice the elements of rows of any length.
export fn bulk_rows(x: bf16[M, N]) -> (y: bf16[M, N]) {
    y[r, n] = x[r, n] * 2.0;
}

check bulk_rows(M = 1, N = 1);
check bulk_rows(M = 9, N = 1000);
check bulk_rows(M = 9, N = 37);
check bulk_rows(M = 9, N = 611);
check bulk_rows(M = 11, N = 16);
