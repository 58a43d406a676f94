// Rows less their maxima.
export fn plain_threads(x: bf16[M, N]) -> (y: f32[M, N]) {
    let m[r] = max[n](x[r, n]);
    y[r, n] = x[r, n] - m[r];
}

check plain_threads(M = 5, N = 7);
check plain_threads(M = 9, N = 300);
