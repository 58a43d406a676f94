// Conditions that differ between elements which a thread holds, around loads that are the same for these.
/// The fold over a key's values stands behind a condition of its own for each row; what it folds is the same for all rows.
export fn rows(x: f32[N, K], m: bool[M, N], ids: i32[K]) -> (y: f32[M, N]) {
    assume -2 <= ids[k] && ids[k] <= N;
    y[i, j] = if m[i, j] && m[i, (j + 1) % N] then 0.5 else max[k where ids[k] == j](lgamma(abs(x[j, k]) + 0.5) * tanh(x[j, k] - f32(i / 4)));
}
check rows(N = 1, K = 1, M = 1);
check rows(N = 5, K = 0, M = 3);
check rows(N = 23, K = 46, M = 67);

/// Ranges of data, and a table: some of what it is read by is in range only where another condition says so.
export fn tables(off: i32[N + 1], at: i32[T], table: f32[V], m: u8[M, N], w: f32[M, T]) -> (y: f32[M, N], z: f32[M, N]) {
    assume 0 <= off[n] && off[n] <= T;
    y[i, j] = if m[i, j] % 2 == 0 then sum[t in off[j]..off[j + 1] where 0 <= at[t] && at[t] < V](table[at[t]] * w[i, t]) else -1.0;
    z[i, j] = sum[t in off[j]..off[j + 1]](if m[i, j] % 3 == 0 && 0 <= at[t] && at[t] < V then exp(table[at[t]]) else w[i, t]);
}
check tables(N = 1, T = 1, V = 1, M = 1);
check tables(N = 3, T = 0, V = 2, M = 5) with at in -3..5;
check tables(N = 19, T = 70, V = 11, M = 33) with at in -3..14;

/// The same of lengths that are known, many rows a thread.
export fn known(x: f16[40, 80], m: bool[96, 40], ids: i32[80]) -> (y: f32[96, 40]) {
    assume -2 <= ids[k] && ids[k] <= 40;
    y[i, j] = if m[i, j] then 0.25 else min[k where ids[k] == j](max(lgamma(abs(x[j, k]) + 0.5) * atanh(0.9 * tanh(f32(j - 1))), x[j, i / 2]));
}
check known();
