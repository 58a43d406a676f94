// Two rows of which each block of a cluster holds its part, and weights that all rows share.
export fn held_two(x: f32[M, N], y: f32[M, N], w: f32[N]) -> (z: f32[M, N]) {
    let s[i] = mean[j](x[i, j] * y[i, j]);
    let v[i] = mean[j]((x[i, j] * y[i, j] - s[i]) ** 2);
    z[i, j] = (x[i, j] - s[i]) * rsqrt(v[i] + 1e-5) * w[j] + y[i, j];
}
check held_two(M = 3, N = 1536);
check held_two(M = 2, N = 1000);
check held_two(M = 5, N = 7);
check held_two(M = 1, N = 1);
check held_two(M = 2, N = 0);
