/// A pre-norm transformer block: h = x + attention(norm(x)), y = h + mlp(norm(h)). Attention is written out as its equations
/// are, over scores of every query and key; what a kernel writes rounds to bf16.
import "attn";
import "linalg";
import "nn";
import "norm";

export fn block(x: bf16[B, S, H*D], norm1: f32[H*D], wqkv: bf16[3*(H*D), H*D], bqkv: bf16[3*(H*D)], wo: bf16[H*D, H*D],
                bo: bf16[H*D], norm2: f32[H*D], w1: bf16[F, H*D], b1: f32[F], w2: bf16[H*D, F], b2: f32[H*D], H: int)
        -> (y: bf16[B, S, H*D]) {
    // Attention with its projections: H heads of D channels.
    let a = layer_norm(x, norm1);
    let n1: bf16[b, s, c] = a[b, s, c];
    let t = self_attention(n1, wqkv, bqkv, wo, bo, causal = true, H = H);
    let h: bf16[b, s, c] = x[b, s, c] + t[b, s, c];
    // The perceptron: F hidden channels.
    let m = layer_norm(h, norm2);
    let n2: bf16[b, s, c] = m[b, s, c];
    let f = linear(n2, w1, b1, act = gelu);
    let g: bf16[b, s, k] = f[b, s, k];
    let o = linear(g, w2, b2);
    y[b, s, c] = h[b, s, c] + o[b, s, c];
}

check block(B = 1, S = 1, H = 1, D = 1, F = 1);
check block(B = 2, S = 7, H = 3, D = 8, F = 40) with wqkv ~ 0.2, wo ~ 0.2, w1 ~ 0.2, w2 ~ 0.2;
bench block(B = 8, S = 1024, H = 16, D = 64, F = 4096);
