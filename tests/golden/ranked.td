// The best eight of each row as indices and their weights: a rank of what is read as it stands, and of what is computed.
dim E in 64..=512;
export fn ranked(x: bf16[T, E], w: f32[E]) -> (g: f32[T, 8], at: i64[T, 8], m: f32[T]) {
    let (v[t, r], e[t, r]) = topk[i](x[t, i], 8);
    g[t, r] = f32(v[t, r]) / sum[k in 0..8](f32(v[t, k]));
    at[t, r] = e[t, r];
    let (s[t, r], _) = sort[i](x[t, i] * w[i]);
    m[t] = s[t, E / 2];
}
