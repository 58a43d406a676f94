// Loads and stores are contiguous along different axes.
export fn transpose(x: bf16[M, N, K]) -> (y: bf16[K, M, N]) {
    y[k, i, j] = x[i, j, k];
}
check transpose(M = 3, N = 19, K = 23);
check transpose(M = 1, N = 1, K = 1);
check transpose(M = 2, N = 0, K = 3);
check transpose(M = 4, N = 16, K = 24);
