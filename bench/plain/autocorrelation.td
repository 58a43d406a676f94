// The autocorrelation of each row at the lags 0 to 7.
export fn autocorrelation(x: f32[M, N]) -> (r: f32[M, 8]) {
    require N > 8;
    let mu[i] = mean[j](x[i, j]);
    let c[i, l in 8] = sum[j in 0..N - l]((x[i, j] - mu[i]) * (x[i, j + l] - mu[i]));
    r[i, l] = c[i, l] / c[i, 0];
}
check autocorrelation(M = 5, N = 37);
bench autocorrelation(M = 4096, N = 4099);
