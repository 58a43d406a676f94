// The backward of a layer norm whose scale and shift come from each image's condition.
import "norm";
export fn adaln_bwd(dy: bf16[B, S, D], x: bf16[B, S, D], mu: f32[B, S], inv: f32[B, S], scale: bf16[B, D])
        -> (dx: bf16[B, S, D], dscale: bf16[B, D], dshift: bf16[B, D]) {
    let n[b, s, d] = (x[b, s, d] - mu[b, s]) * inv[b, s];
    let g[b, s, d] = dy[b, s, d] * (1 + scale[b, d]);
    let m1[b, s] = mean[d](g[b, s, d]);
    let m2[b, s] = mean[d](g[b, s, d] * n[b, s, d]);
    dx[b, s, d] = inv[b, s] * (g[b, s, d] - m1[b, s] - n[b, s, d] * m2[b, s]);
    dscale[b, d] = sum[s](dy[b, s, d] * n[b, s, d]);
    dshift[b, d] = sum[s](dy[b, s, d]);
}
check adaln_bwd(B = 3, S = 7, D = 29) with inv in 0.5..2.0;
bench adaln_bwd(B = 32, S = 256, D = 1152) with inv in 0.5..2.0;
