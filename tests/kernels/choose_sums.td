// The largest of each row, and what is left of its elements without their sum.
export fn choose_sums(x: i32[M, N]) -> (y: i32[M, N], m: i32[M]) {
    m[r] = max[n](x[r, n]);
    y[r, n] = x[r, n] - sum[k](x[r, k]);
}

// short rows: up to 256
check choose_sums(M = 0, N = 0);
check choose_sums(M = 1, N = 1);
check choose_sums(M = 3, N = 0);
check choose_sums(M = 5, N = 255);
check choose_sums(M = 70, N = 256);
// few elements: up to 8192
check choose_sums(M = 0, N = 300);
check choose_sums(M = 1, N = 257);
check choose_sums(M = 16, N = 512);
// one long row
check choose_sums(M = 1, N = 8193);
// several
check choose_sums(M = 2, N = 4097);
check choose_sums(M = 17, N = 512);
