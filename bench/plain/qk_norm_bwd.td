// The backward of the norm of each head's query, and of the weight that all heads share.
import "norm";
export fn qk_norm_bwd(dy: bf16[B, S, H, D], x: bf16[B, S, H, D], inv: f32[B, S, H], w: f32[D])
        -> (dx: bf16[B, S, H, D], dw: f32[D]) {
    dx = rms_norm_grad(dy, x, inv, w);
    dw = rms_norm_weight_grad(dy, x, inv);
}
check qk_norm_bwd(B = 2, S = 5, H = 3, D = 24) with inv in 0.5..2.0;
bench qk_norm_bwd(B = 2, S = 2048, H = 32, D = 128) with inv in 0.5..2.0;
