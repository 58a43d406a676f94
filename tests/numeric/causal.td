// Attention in which a query sees only what came before it, as two products around a guarded softmax.
/// Each query over the keys up to its own place; F heads of queries share one head of keys and values.
export fn causal(q: bf16[B, F, S, D], k: bf16[B, S, D], v: bf16[B, S, E]) -> (o: bf16[B, F, S, E]) {
    let near[b, f, i, j] = sum[d](q[b, f, i, d] * k[b, j, d]) * rsqrt(f32(D));
    let top[b, f, i] = max[j where j <= i](near[b, f, i, j]);
    let w[b, f, i, j] = exp(near[b, f, i, j] - top[b, f, i]);
    let all_w[b, f, i] = sum[j where j <= i](w[b, f, i, j]);
    o[b, f, i, e] = sum[j where j <= i](bf16(w[b, f, i, j]) * v[b, j, e]) / all_w[b, f, i];
}
check causal(B = 1, F = 1, S = 1, D = 1, E = 1);
check causal(B = 2, F = 3, S = 71, D = 24, E = 17);
check causal(B = 1, F = 2, S = 19, D = 67, E = 5);
check causal(B = 2, F = 1, S = 0, D = 8, E = 8);

/// A window besides: only the W latest keys of a longer past, in f32.
export fn window(q: f32[S, D], k: f32[P + S, D], v: f32[P + S, D], W: int) -> (o: f32[S, D]) {
    require W >= 1;
    let near[i in S, j in P + S] = sum[d](q[i, d] * k[j, d]) * rsqrt(f32(D));
    let top[i] = max[j where j <= i + P && j > i + P - W](near[i, j]);
    let w[i in S, j in P + S] = exp(near[i, j] - top[i]);
    let all_w[i] = sum[j where j <= i + P && j > i + P - W](w[i, j]);
    o[i, d] = sum[j where j <= i + P && j > i + P - W](w[i, j] * v[j, d]) / all_w[i];
}
check window(S = 1, D = 1, P = 0, W = 1);
check window(S = 37, D = 9, P = 5, W = 7);
check window(S = 3, D = 33, P = 65, W = 200);
check window(S = 0, D = 4, P = 2, W = 3);
