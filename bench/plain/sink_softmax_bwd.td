// The backward of a softmax with one more logit a head, which takes a share of nothing.
export fn sink_softmax_bwd(dp: bf16[B, H, M, N], p: bf16[B, H, M, N]) -> (ds: bf16[B, H, M, N], dsink: f32[H]) {
    let r[b, h, i] = sum[j](dp[b, h, i, j] * p[b, h, i, j]);
    let rest[b, h, i] = 1 - sum[j](p[b, h, i, j]);
    ds[b, h, i, j] = p[b, h, i, j] * (dp[b, h, i, j] - r[b, h, i]);
    dsink[h] = -sum[b, i](rest[b, h, i] * r[b, h, i]);
}
check sink_softmax_bwd(B = 2, H = 3, M = 5, N = 37) with p in 0.0..0.05;
bench sink_softmax_bwd(B = 4, H = 16, M = 512, N = 777) with p in 0.0..0.002;
