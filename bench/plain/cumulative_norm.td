// A layer norm of each frame by the statistics of all frames so far.
export fn cumulative_norm(x: f32[B, T, C], g: f32[C], h: f32[C]) -> (y: f32[B, T, C]) {
    let s[b, t] = sum[c](x[b, t, c]);
    let q[b, t] = sum[c](x[b, t, c] ** 2);
    let mu[b, t in T] = sum[k where k <= t](s[b, k]) / f32((t + 1) * C);
    let va[b, t in T] = sum[k where k <= t](q[b, k]) / f32((t + 1) * C) - mu[b, t] ** 2;
    y[b, t, c] = (x[b, t, c] - mu[b, t]) * rsqrt(max(va[b, t], 0) + 1e-5) * g[c] + h[c];
}
check cumulative_norm(B = 3, T = 37, C = 13);
bench cumulative_norm(B = 16, T = 3001, C = 257);
