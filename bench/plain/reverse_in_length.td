// Sequences backwards within their lengths, what lies behind stays, and the mean of the valid steps.
export fn reverse_in_length(x: f32[T, B, D], len: i32[B]) -> (y: f32[T, B, D], mu: f32[B, D]) {
    assume 0 <= len[b] && len[b] <= T;
    y[t, b, d] = if t < len[b] then x[len[b] - 1 - t, b, d] else x[t, b, d];
    mu[b, d] = sum[t where t < len[b]](x[t, b, d]) / f32(max(len[b], 1));
}
check reverse_in_length(T = 13, B = 3, D = 7);
bench reverse_in_length(T = 300, B = 64, D = 500);
