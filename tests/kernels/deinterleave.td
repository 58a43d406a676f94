// Even and odd elements of rows.
export fn deinterleave(x: f32[M, 2 * N]) -> (y: f32[M, N], z: f32[M, N]) {
    y[r, n] = x[r, 2 * n];
    z[r, n] = x[r, 2 * n + 1];
}

check deinterleave(M = 5, N = 7);
check deinterleave(M = 2, N = 128);
