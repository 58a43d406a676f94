// Gradients of length and direction of the rows of a weight.
export fn weight_norm_bwd(dw: bf16[O, I, K], v: bf16[O, I, K], g: f32[O]) -> (dv: bf16[O, I, K], dg: f32[O]) {
    let r[o] = rsqrt(sum[i, k](v[o, i, k] ** 2));
    dg[o] = r[o] * sum[i, k](dw[o, i, k] * v[o, i, k]);
    dv[o, i, k] = g[o] * r[o] * (dw[o, i, k] - v[o, i, k] * r[o] * dg[o]);
}
check weight_norm_bwd(O = 7, I = 5, K = 3);
bench weight_norm_bwd(O = 2048, I = 1536, K = 7);
