// How far each value lies from the mean of the last 20, in deviations of these.
export fn rolling_zscore(x: f32[M, N]) -> (z: f32[M, N - 19]) {
    require N >= 20, "a window of 20";
    let mu[i, t in N - 19] = mean[k in 0..20](x[i, t + k]);
    let va[i, t in N - 19] = mean[k in 0..20]((x[i, t + k] - mu[i, t]) ** 2);
    z[i, t] = (x[i, t + 19] - mu[i, t]) / sqrt(va[i, t] + 1e-6);
}
check rolling_zscore(M = 5, N = 57);
bench rolling_zscore(M = 4096, N = 4001);
