// Halves of rows that are rotated: one load serves both branches, at a place that the condition chooses.
export fn rotated(x: bf16[M, 2*D], w: f32[2*D], c: f32[M, D], s: f32[D]) -> (y: f32[M, 2*D]) {
    let q[i] = rsqrt(mean[k](f32(x[i, k])*f32(x[i, k])) + 1e-6);
    let n[i, d] = f32(x[i, d])*q[i]*w[d];
    y[i, d] = if d < D then n[i, d]*c[i, d] - n[i, D + d]*s[d] else n[i, d]*c[i, d - D] + n[i, d - D]*s[d - D];
}
check rotated(M = 3, D = 8);
check rotated(M = 5, D = 7);
check rotated(M = 37, D = 64);
check rotated(M = 0, D = 5);
check rotated(M = 1, D = 1);
