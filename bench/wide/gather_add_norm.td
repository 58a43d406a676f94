// Token and position embeddings, their sum with a residual, and its norm.
import "index";
import "norm";
export fn gather_add_norm(table: bf16[V, D], pos: bf16[S, D], ids: i32[B, S], r: bf16[B, S, D], w: f32[D])
        -> (h: bf16[B, S, D], y: bf16[B, S, D]) {
    let e = embedding(table, ids);
    h[b, s, d] = e[b, s, d] + pos[s, d] + r[b, s, d];
    y = rms_norm(h, w);
}
check gather_add_norm(V = 41, D = 24, B = 2, S = 7);
bench gather_add_norm(V = 50257, D = 1024, B = 16, S = 1024);
