// Features of speech, each sequence normalised over its own length, zero behind it.
export fn cmvn_lengths(x: f32[B, T, F], len: i32[B]) -> (y: f32[B, T, F]) {
    assume 1 <= len[b] && len[b] <= T;
    let mu[b, f] = mean[t where t < len[b]](x[b, t, f]);
    let va[b, f] = mean[t where t < len[b]]((x[b, t, f] - mu[b, f]) ** 2);
    y[b, t, f] = if t < len[b] then (x[b, t, f] - mu[b, f]) * rsqrt(va[b, f] + 1e-5) else 0;
}
check cmvn_lengths(B = 3, T = 37, F = 13);
bench cmvn_lengths(B = 64, T = 1600, F = 80);
