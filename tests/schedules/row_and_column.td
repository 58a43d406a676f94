// Rows are folded, and columns of the same elements: a norm's backward.
export fn row_and_column(dy: f16[M, N], x: f16[M, N], g: f32[N]) -> (dx: f32[M, N], dg: f32[N], db: f32[N]) {
    let mu[i] = mean[j](x[i, j]);
    let rs[i] = rsqrt(mean[j]((x[i, j] - mu[i]) ** 2) + 1e-3);
    let a[i] = mean[j](dy[i, j] * g[j]);
    let b[i] = mean[j](dy[i, j] * g[j] * (x[i, j] - mu[i]));
    dx[i, j] = rs[i] * (dy[i, j] * g[j] - a[i] - (x[i, j] - mu[i]) * rs[i] * rs[i] * b[i]);
    dg[j] = sum[i](dy[i, j] * (x[i, j] - mu[i]) * rs[i]);
    db[j] = sum[i](dy[i, j]);
}
check row_and_column(M = 7, N = 37);
check row_and_column(M = 1, N = 1);
check row_and_column(M = 0, N = 5);
check row_and_column(M = 5, N = 0);
check row_and_column(M = 300, N = 24);
