// Two kept axes and a folded one, each operand without one of them.
export fn matmul(x: bf16[M, K], w: bf16[K, N], b: bf16[N]) -> (y: bf16[M, N]) {
    y[i, j] = max(sum[k](x[i, k] * w[k, j]) + b[j], 0);
}
check matmul(M = 11, N = 21, K = 35);
check matmul(M = 1, N = 1, K = 1);
check matmul(M = 3, N = 5, K = 0);
check matmul(M = 8, N = 32, K = 48);
