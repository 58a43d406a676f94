// Scans in both directions, inclusive and not.
export fn cumsum(x: f32[M, N]) -> (a: f32[M, N], b: f32[M, N], c: f32[M, N]) {
    a[i, j] = sum[k where k <= j](x[i, k]);
    b[i, j] = max[k where k > j](x[i, k]);
    c[i, j] = sum[k where k < j && x[i, k] > 0](x[i, k] * x[i, k]);
}
check cumsum(M = 3, N = 115);
check cumsum(M = 2, N = 1);
check cumsum(M = 1, N = 0);
check cumsum(M = 2, N = 160);
