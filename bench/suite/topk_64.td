// The 64 largest of a few long rows.
export fn topk_64(x: f32[M, N]) -> (v: f32[M, 64], at: i64[M, 64]) {
    (v[m, r], at[m, r]) = topk[n](x[m, n], 64);
}

check topk_64(M = 1, N = 20001);
check topk_64(M = 3, N = 64);
check topk_64(M = 0, N = 100);
bench topk_64(M = 16, N = 1000000);
