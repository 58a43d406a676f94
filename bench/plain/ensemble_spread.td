// A forecast ensemble: mean and spread of members at each place, and the mean spread over the area for each lead time.
export fn ensemble_spread(x: f16[E, T, H, W]) -> (mu: f16[T, H, W], sd: f16[T, H, W], area: f32[T]) {
    let m[t, i, j] = mean[e](x[e, t, i, j]);
    let s[t, i, j] = sqrt(sum[e]((x[e, t, i, j] - m[t, i, j]) ** 2) / (E - 1));
    mu[t, i, j] = m[t, i, j];
    sd[t, i, j] = s[t, i, j];
    area[t] = mean[i, j](s[t, i, j]);
}
check ensemble_spread(E = 5, T = 3, H = 7, W = 11);
bench ensemble_spread(E = 20, T = 12, H = 361, W = 720);
