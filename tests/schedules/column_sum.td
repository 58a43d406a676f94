// The reduced axis is the outer one.
export fn column_sum(x: f32[M, N]) -> (y: f32[N], q: f32[N]) {
    y[j] = sum[i](x[i, j]);
    q[j] = max[i](x[i, j] * x[i, j]);
}
check column_sum(M = 67, N = 37);
check column_sum(M = 1, N = 1);
check column_sum(M = 0, N = 5);
check column_sum(M = 40, N = 64);
