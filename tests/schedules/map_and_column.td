// Columns of what a map stores.
export fn map_and_column(dy: f32[M, N], x: f32[M, N]) -> (dx: f32[M, N], db: f32[N], top: f32[N]) {
    dx[i, j] = dy[i, j] * sigmoid(x[i, j]);
    db[j] = sum[i](dx[i, j]);
    top[j] = max[i](abs(dx[i, j]));
}
check map_and_column(M = 7, N = 37);
check map_and_column(M = 0, N = 5);
check map_and_column(M = 300, N = 24);
