// Logits of a step of decoding, in which nothing may follow the last token that has followed it before.
export fn ban_bigrams(x: f32[B, V], ids: i32[B, L]) -> (y: f32[B, V]) {
    require L >= 1;
    assume 0 <= ids[b, i] && ids[b, i] < V;
    let no[b, v in V] = any[i in 1..L where ids[b, i - 1] == ids[b, L - 1]](ids[b, i] == v);
    y[b, v] = if no[b, v] then -inf else x[b, v];
}
check ban_bigrams(B = 3, V = 13, L = 41);
bench ban_bigrams(B = 64, V = 50257, L = 512);
