// Of one row of logits the log-sum-exp at two temperatures, and the entropy at the second.
export fn two_temperatures(x: bf16[M, N]) -> (hot: f32[M], cold: f32[M], entropy: f32[M]) {
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp((x[i, j] - m[i]) * 0.5));
    let z[i] = sum[j](exp((x[i, j] - m[i]) * 2));
    hot[i] = 0.5 * m[i] + log(s[i]);
    cold[i] = 2 * m[i] + log(z[i]);
    entropy[i] = log(z[i]) - sum[j](exp((x[i, j] - m[i]) * 2) * ((x[i, j] - m[i]) * 2)) / z[i];
}
check two_temperatures(M = 3, N = 131);
bench two_temperatures(M = 4096, N = 32003);
