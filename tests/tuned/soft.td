// Groups for tests/tuned: one kernel of rows.
export fn soft(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let m[i] = max[k](f32(x[i, k]));
    let s[i] = sum[k](exp(f32(x[i, k]) - m[i]));
    y[i, j] = bf16(exp(f32(x[i, j]) - m[i]) / s[i]);
}
bench soft(M = 512, N = 1024);
check soft(M = 5, N = 37);
check soft(M = 400, N = 1000);
