// Twice a matrix.
export fn bulk_out(x: bf16[M, N]) -> (y: bf16[M, N]) {
    y[r, n] = x[r, n] * 2.0;
}

check bulk_out(M = 1, N = 1);
check bulk_out(M = 5, N = 7);
check bulk_out(M = 23, N = 1000);
check bulk_out(M = 12, N = 512);
check bulk_out(M = 9, N = 333);
check bulk_out(M = 0, N = 16);
