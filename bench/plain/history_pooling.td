// A user's history, weighted by how well it fits the candidate, without what lies behind its end.
export fn history_pooling(h: f16[B, S, D], c: f16[B, D], len: i32[B]) -> (y: f16[B, D], a: f32[B, S]) {
    let z[b, s] = sum[d](h[b, s, d] * c[b, d]) / sqrt(f32(D));
    let m[b] = max[s where s < len[b]](z[b, s]);
    let e[b, s] = if s < len[b] then exp(z[b, s] - m[b]) else 0;
    a[b, s] = e[b, s] / max(sum[t](e[b, t]), 1e-9);
    y[b, d] = sum[s where s < len[b]](a[b, s] * h[b, s, d]);
}
check history_pooling(B = 5, S = 19, D = 13) with len in 0..20;
bench history_pooling(B = 8192, S = 100, D = 64) with len in 0..101;
