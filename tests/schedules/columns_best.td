// The best of each column, where all may be what a fold begins with: the first one is the best then.
export fn columns_best(x: f16[M, K, N], q: i8[M, K, N]) -> (first: i64[M, N], at: i64[M, N], least: i64[M, N]) {
    first[r, c] = argmax[k](if x[r, k, c] > 1.0 then x[r, k, c] else -inf);
    at[r, c] = argmin[k](x[r, k, c]);
    least[r, c] = argmax[k](if q[r, k, c] > 1 then i32(q[r, k, c]) else -2147483648);
}
check columns_best(M = 2, K = 21, N = 37) with q in -3..4;
check columns_best(M = 1, K = 7, N = 8) with q in -3..4;
check columns_best(M = 3, K = 1, N = 5) with q in -3..4;
check columns_best(M = 2, K = 0, N = 3) with q in -3..4;
