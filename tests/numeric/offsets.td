// What tdc proposes to assume of offsets and numbers: rows between offsets, their means, windows at data.
// clause 3.9, 8.6, 8.7
export fn segment_mean(x: f32[N, D], off: i32[B + 1]) -> (y: f32[B, D]) {
    assume 0 <= off[b] && off[b] <= N;
    assume b >= B || off[b] <= off[b + 1];
    y[b, d] = sum[n in off[b]..off[b + 1]](x[n, d]) / max(f32(off[b + 1] - off[b]), 1);
}
check segment_mean(N = 300, D = 5, B = 20);
check segment_mean(N = 0, D = 3, B = 2);

export fn rows(x: f32[N], off: i32[B + 1], t: i32[M], u: i32[M]) -> (y: f32[B, K], z: f32[M, K], w: f32[M]) {
    require K <= N;
    assume 0 <= off[b] && off[b] <= N;
    assume 0 <= t[m] && t[m] <= N - K;
    assume 1 <= u[m] && u[m] <= N;
    y[b, s] = if off[b] + s < off[b + 1] then x[off[b] + s] else 0;
    z[m, k] = x[t[m] + k];
    w[m] = x[u[m] - 1];
}
check rows(N = 100, B = 9, M = 13, K = 7);
