// Means and covariances of six measurements over many samples.
export fn covariance_six(x: f32[M, 6]) -> (mu: f32[6], c: f32[6, 6]) {
    mu[j] = mean[i](x[i, j]);
    c[j, k] = sum[i]((x[i, j] - mu[j]) * (x[i, k] - mu[k])) / (M - 1);
}
check covariance_six(M = 501);
bench covariance_six(M = 3000001);
