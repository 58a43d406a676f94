// Twice the elements of rows of any length, transposed.
export fn bulk_tiles(x: f16[M, N]) -> (y: f16[N, M]) {
    y[n, r] = x[r, n] * 2.0;
}

check bulk_tiles(M = 1, N = 1);
check bulk_tiles(M = 80, N = 64);
check bulk_tiles(M = 77, N = 40);
check bulk_tiles(M = 67, N = 61);
