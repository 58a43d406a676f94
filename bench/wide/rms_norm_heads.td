// The norm of each head's query, its rotation, and heads before places.
import "norm";
import "attn";
export fn rms_norm_heads(x: bf16[B, S, H, 2*D], w: f32[2*D], c: f32[S, D], s: f32[S, D]) -> (y: bf16[B, H, S, 2*D]) {
    let n = rms_norm(x, w);
    let t[b, h, i, d] = n[b, i, h, d];
    y = rope(t, c, s);
}
check rms_norm_heads(B = 2, S = 5, H = 3, D = 8);
bench rms_norm_heads(B = 4, S = 2048, H = 24, D = 64);
