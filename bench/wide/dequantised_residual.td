// Bytes with a scale for each 64 of them, onto a residual.
export fn dequantised_residual(q: i8[M, 64*K], s: f16[M, K], r: bf16[M, 64*K]) -> (y: bf16[M, 64*K]) {
    y[i, j] = r[i, j] + f32(q[i, j]) * s[i, j / 64];
}
check dequantised_residual(M = 5, K = 3);
bench dequantised_residual(M = 8192, K = 64);
