// Ten million numbers in order, and where they were.
export fn sort_1e7(x: f32[N]) -> (v: f32[N], at: i64[N]) {
    (v[r], at[r]) = sort[n](x[n]);
}

check sort_1e7(N = 10007);
check sort_1e7(N = 1);
check sort_1e7(N = 0);
bench sort_1e7(N = 10000000);
