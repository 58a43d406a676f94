// The transpose of a matrix.
export fn transpose_2d(x: bf16[M, N]) -> (y: bf16[N, M]) {
    y[j, i] = x[i, j];
}

check transpose_2d(M = 1, N = 1);
check transpose_2d(M = 64, N = 128);
check transpose_2d(M = 67, N = 131);
check transpose_2d(M = 200, N = 72);
check transpose_2d(M = 0, N = 5);
bench transpose_2d(M = 16384, N = 16384);
