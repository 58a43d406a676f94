// Gradients to bytes, rounded at random so that they are right on average.
export fn stochastic_bytes(g: f32[M, N], seed: i64) -> (q: i8[M, N], scale: f32[M]) {
    scale[i] = max(max[j](abs(g[i, j])), 1e-20) / 127;
    q[i, j] = i8(clamp(floor(g[i, j] / scale[i] + random(seed, 0, flat(i, j))), -127, 127));
}
check stochastic_bytes(M = 5, N = 37, seed = 11);
bench stochastic_bytes(M = 6000, N = 4099, seed = 11);
