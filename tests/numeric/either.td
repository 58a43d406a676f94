// Both branches of a condition on indices read one tensor, a number of elements apart: one load serves both, and of
// vectors where the condition is the same for all elements of one.
export fn halves(x: bf16[M, 2*D], c: f32[M, D], s: f32[D]) -> (y: bf16[M, 2*D]) {
    y[i, d] = if d < D then x[i, d]*c[i, d] - x[i, D + d]*s[d] else x[i, d]*c[i, d - D] + x[i, d - D]*s[d - D];
}
check halves(M = 3, D = 8);
check halves(M = 5, D = 7);
check halves(M = 37, D = 64);
check halves(M = 2, D = 4100);
check halves(M = 1, D = 1);
check halves(M = 0, D = 5);

// The same behind a fold, where rows are in registers, and with lengths that are known.
export fn normed(x: bf16[M, 2*D], w: f32[2*D], c: f32[M, D], s: f32[M, D]) -> (y: bf16[M, 2*D]) {
    let q[i] = rsqrt(mean[k](f32(x[i, k])*f32(x[i, k])) + 1e-6);
    let n[i, d] = f32(x[i, d])*q[i]*w[d];
    y[i, d] = if d < D then n[i, d]*c[i, d] - n[i, D + d]*s[i, d] else n[i, d]*c[i, d - D] + n[i, d - D]*s[i, d - D];
}
check normed(M = 9, D = 32);
check normed(M = 4, D = 21);
check normed(M = 3, D = 2056);

export fn known(x: f16[M, 192], s: f16[96]) -> (y: f16[M, 192]) {
    y[i, d] = if d < 96 then x[i, d] - x[i, 96 + d]*s[d] else x[i, d] + x[i, d - 96]*s[d - 96];
}
check known(M = 33);

// Parts that no vector begins with, of odd lengths.
export fn turned(x: f16[M, N], K: i64) -> (y: f16[M, N]) {
    assume 0 <= K && K < N;
    y[i, j] = if j < N - K then x[i, j + K] else x[i, j + K - N];
}
check turned(M = 5, N = 96, K = 3);
check turned(M = 3, N = 101, K = 100);
check turned(M = 2, N = 64, K = 0);

export fn shifted(x: f32[M, 64]) -> (y: f32[M, 64]) { y[i, j] = if j < 61 then x[i, j + 3] else x[i, j - 61]; }
check shifted(M = 7);

// Three parts; rows; both subscripts; half bytes; rows that data choose.
export fn three(x: f32[M, 2*D + E], c: f32[D]) -> (y: f32[M, 2*D + E]) {
    y[i, d] = if d < D then x[i, d]*c[d] - x[i, D + d]
              else if d < 2*D then x[i, d]*c[d - D] + x[i, d - D] else x[i, d];
}
check three(M = 3, D = 8, E = 16);
check three(M = 4, D = 5, E = 3);

export fn rows(x: bf16[2*M, N]) -> (y: f32[2*M, N]) {
    y[i, j] = if i < M then x[i, j] + 2.0*x[i + M, j] else x[i, j] - 3.0*x[i - M, j];
}
check rows(M = 3, N = 40);
check rows(M = 5, N = 1);

export fn corner(x: f32[M, N]) -> (y: f32[M, N]) {
    assume M > 2 && N > 2;
    y[i, j] = if i < 2 && j < 2 then x[i + 1, j + 1] else if i < 2 then x[i + 1, j] else x[i - 2, j];
}
check corner(M = 7, N = 24);

export fn packed(x: i4[M, 64]) -> (y: i32[M, 64]) { y[i, j] = if j < 32 then i32(x[i, j + 32]) else i32(x[i, j - 32]); }
check packed(M = 3);

export fn chosen(x: f32[T, 2*D], c: f32[P, D], at: i32[T]) -> (y: f32[T, 2*D]) {
    assume 0 <= at[t] && at[t] < P;
    y[t, d] = if d < D then x[t, d]*c[at[t], d] else x[t, d]*c[at[t], d - D];
}
check chosen(T = 11, D = 8, P = 3);
check chosen(T = 4, D = 33, P = 5);

// What is folded; and what a kernel changes is read at its own place.
export fn folded(x: f32[M, 2*D], c: f32[D]) -> (y: f32[M]) {
    y[i] = sum[d in 0..2*D](x[i, d]*(if d < D then c[d] else -c[d - D]));
}
check folded(M = 3, D = 700);
check folded(M = 70, D = 9);

export fn changed(inout x: f32[M, 2*D], c: f32[D]) {
    x[i, d] = if d < D then x[i, d]*c[d] - x[i, D + d] else x[i, d]*c[d - D] + x[i, d - D];
}
check changed(M = 3, D = 16);
