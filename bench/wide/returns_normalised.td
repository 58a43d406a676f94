// The sum of all rewards from each step on, normalised over the row.
export fn returns_normalised(r: f32[M, T]) -> (y: f32[M, T]) {
    let g[i, t] = sum[k where k >= t](r[i, k]);
    let mu[i] = mean[t](g[i, t]);
    let va[i] = mean[t]((g[i, t] - mu[i]) ** 2);
    y[i, t] = (g[i, t] - mu[i]) * rsqrt(va[i] + 1e-8);
}
check returns_normalised(M = 3, T = 131);
bench returns_normalised(M = 4096, T = 4096);
