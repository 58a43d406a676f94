// Rows in order, each by itself.
export fn sort_rows(x: f32[M, N]) -> (v: f32[M, N], at: i64[M, N]) {
    (v[m, r], at[m, r]) = sort[n](x[m, n]);
}

check sort_rows(M = 7, N = 1000);
check sort_rows(M = 3, N = 1);
check sort_rows(M = 2, N = 0);
bench sort_rows(M = 65536, N = 1000);
