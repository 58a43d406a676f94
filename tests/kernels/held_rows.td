// Rows that a block holds in shared memory while it goes over them three times.
export fn held_rows(x: bf16[M, N], t: i32[M]) -> (loss: f32[M], dx: bf16[M, N]) {
    assume 0 <= t[i] && t[i] < N;
    let m[i] = max[j](f32(x[i, j]));
    let z[i] = sum[j](exp(x[i, j] - m[i]));
    loss[i] = log(z[i]) + m[i] - x[i, t[i]];
    dx[i, j] = exp(x[i, j] - m[i]) / z[i] - (if j == t[i] then 1.0 else 0.0);
}
check held_rows(M = 3, N = 700) with t in 0..N;
check held_rows(M = 2, N = 761) with t in 0..N;
check held_rows(M = 4, N = 256) with t in 0..N;
check held_rows(M = 5, N = 37) with t in 0..N;
check held_rows(M = 1, N = 1) with t in 0..N;
check held_rows(M = 0, N = 9) with t in 0..N;
