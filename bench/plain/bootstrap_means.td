// Bootstrap: the means of B resamples of a series, drawn by a counter-based generator, and their deviation.
export fn bootstrap_means(x: f32[N], seed: i64) -> (m: f32[B], error: f32[]) {
    require N >= 1;
    let at[b, n in N] = clamp(i32(random(seed, b, n) * N), 0, N - 1);
    m[b] = mean[n](x[at[b, n]]);
    let mu[] = mean[b](m[b]);
    error[] = sqrt(mean[b]((m[b] - mu[]) ** 2));
}
check bootstrap_means(N = 101, B = 37, seed = 7);
bench bootstrap_means(N = 2000003, B = 64, seed = 7);
