// A product without its first column.
export fn choose_product(a: f32[M, K], b: f32[K, N]) -> (y: f32[M, N]) {
    let p[i, j] = sum[k](a[i, k] * b[k, j]);
    y[i, j] = p[i, j] - p[i, 0];
}

// few rows
check choose_product(M = 0, K = 3, N = 5);
check choose_product(M = 1, K = 1, N = 1);
check choose_product(M = 4, K = 7, N = 40);
// few columns
check choose_product(M = 5, K = 8, N = 16);
check choose_product(M = 9, K = 0, N = 4);
check choose_product(M = 6, K = 5, N = 0);
// many of both
check choose_product(M = 5, K = 8, N = 17);
check choose_product(M = 70, K = 33, N = 34);
