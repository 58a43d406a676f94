// The distance of points from three centres by their precision matrices, soft shares of them, and the log likelihood.
export fn mahalanobis4(x: f32[N, 4], mu: f32[3, 4], prec: f32[3, 4, 4]) -> (share: f32[N, 3], loglik: f32[]) {
    let d[n, k] = sum[i, j]((x[n, i] - mu[k, i]) * prec[k, i, j] * (x[n, j] - mu[k, j]));
    let top[n] = max[k](-0.5 * d[n, k]);
    let z[n] = sum[k](exp(-0.5 * d[n, k] - top[n]));
    share[n, k] = exp(-0.5 * d[n, k] - top[n]) / z[n];
    loglik[] = sum[n](top[n] + log(z[n]));
}
check mahalanobis4(N = 101) with prec in 0.0..0.3;
bench mahalanobis4(N = 4000001) with prec in 0.0..0.3;
