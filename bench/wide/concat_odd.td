// Three pieces of odd lengths side by side, one of them scaled.
export fn concat_odd(a: f32[M, A], b: f32[M, B], c: f32[M, C]) -> (y: f32[M, A + B + C]) {
    y[i, j in A] = a[i, j];
    y[i, A + j in B] = 0.5 * b[i, j];
    y[i, A + B + j in C] = c[i, j];
}
check concat_odd(M = 5, A = 7, B = 11, C = 3);
bench concat_odd(M = 16384, A = 777, B = 1021, C = 3);
