// flags: --without=choose
// Where the range of a chunk ends is loaded before its loop, which then has an end: most chunks have nothing to do.
export fn chunk_ends(x: f32[N], k: i32[N]) -> (y: f32[M]) {
    assume 0 <= k[n] && k[n] < M;
    y[m] = sum[n where k[n] == m](x[n]);
}
// So it is between offsets, of which nothing says that the range that is searched for has an end.
export fn offset_ends(x: f32[N], off: i64[M + 1]) -> (y: f32[M]) {
    assume 0 <= off[m] && off[m] <= N;
    assume off[m] <= off[m + 1];
    y[m] = sum[n in off[m]..off[m + 1]](x[n]);
}
