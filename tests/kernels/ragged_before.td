// Ranges that are data, of elements and those before them.
export fn ragged_before(off: i64[B], x: f32[M, N]) -> (y: f32[B, M]) {
    assume 0 <= off[b] && off[b] <= N;
    y[b, i] = sum[k in off[b]..N](x[i, k] * x[i, max(k - 1, 0)]);
}

check ragged_before(B = 5, M = 19, N = 41);
check ragged_before(B = 2, M = 1, N = 1);
check ragged_before(B = 3, M = 4, N = 0);
