// The deviation of each column of a table that is tall.
export fn column_deviation(x: f32[M, N]) -> (y: f32[N]) {
    let mu[j] = mean[i](x[i, j]);
    y[j] = sqrt(mean[i]((x[i, j] - mu[j]) ** 2));
}
check column_deviation(M = 101, N = 13);
bench column_deviation(M = 100003, N = 257);
