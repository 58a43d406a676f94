// The eight largest of each row of logits.
export fn topk_8(x: f32[M, N]) -> (v: f32[M, 8], at: i64[M, 8]) {
    (v[m, r], at[m, r]) = topk[n](x[m, n], 8);
}

check topk_8(M = 3, N = 5003);
check topk_8(M = 5, N = 37);
check topk_8(M = 0, N = 8);
bench topk_8(M = 8192, N = 50257);
