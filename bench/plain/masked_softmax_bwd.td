// The backward of a causal softmax, down to the scores and to the bias that all of the batch shares.
export fn masked_softmax_bwd(dp: bf16[B, H, S, S], p: bf16[B, H, S, S]) -> (ds: bf16[B, H, S, S], dbias: f32[H, S, S]) {
    let r[b, h, i] = sum[j where j <= i](dp[b, h, i, j] * p[b, h, i, j]);
    let g[b, h, i, j] = if j <= i then p[b, h, i, j] * (dp[b, h, i, j] - r[b, h, i]) else 0;
    ds[b, h, i, j] = 0.125 * g[b, h, i, j];
    dbias[h, i, j] = sum[b](g[b, h, i, j]);
}
check masked_softmax_bwd(B = 2, H = 3, S = 29) with p in 0.0..1.0;
bench masked_softmax_bwd(B = 4, H = 12, S = 768) with p in 0.0..1.0;
