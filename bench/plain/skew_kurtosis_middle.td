// The third and fourth standardised moments over time, the middle axis.
export fn skew_kurtosis_middle(x: f32[B, T, C]) -> (skew: f32[B, C], kurt: f32[B, C]) {
    let mu[b, c] = mean[t](x[b, t, c]);
    let v[b, c] = mean[t]((x[b, t, c] - mu[b, c]) ** 2) + 1e-9;
    skew[b, c] = mean[t]((x[b, t, c] - mu[b, c]) ** 3) / v[b, c] ** 1.5;
    kurt[b, c] = mean[t]((x[b, t, c] - mu[b, c]) ** 4) / v[b, c] ** 2 - 3;
}
check skew_kurtosis_middle(B = 3, T = 37, C = 13);
bench skew_kurtosis_middle(B = 30, T = 1001, C = 600);
