// Mean, variance and the largest magnitude of a tensor.
export fn whole_stats(x: f32[N]) -> (mu: f32[], va: f32[], top: f32[]) {
    mu[] = mean[i](x[i]);
    va[] = mean[i]((x[i] - mu[]) ** 2);
    top[] = max[i](abs(x[i]));
}
check whole_stats(N = 1021);
bench whole_stats(N = 50331648);
