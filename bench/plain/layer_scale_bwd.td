// The backward of a residual branch that is scaled by channel and left out for some images.
export fn layer_scale_bwd(dy: bf16[B, S, D], f: bf16[B, S, D], gamma: f32[D], keep: bool[B]) -> (df: bf16[B, S, D], dgamma: f32[D]) {
    df[b, s, d] = if keep[b] then dy[b, s, d] * gamma[d] / 0.9 else 0;
    dgamma[d] = sum[b, s where keep[b]](dy[b, s, d] * f[b, s, d]) / 0.9;
}
check layer_scale_bwd(B = 3, S = 7, D = 37);
bench layer_scale_bwd(B = 64, S = 197, D = 768);
