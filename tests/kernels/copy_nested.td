// The longest way over one place between.
export fn copy_nested(a: f32[M, K], b: bf16[K, N]) -> (y: f32[M, N]) {
    y[i, j] = max[k](a[i, k] + b[k, j]);
}

check copy_nested(M = 1, K = 1, N = 1);
check copy_nested(M = 33, K = 24, N = 64);
check copy_nested(M = 21, K = 13, N = 19);
check copy_nested(M = 9, K = 0, N = 5);
