// The transpose of eight columns.
export fn split_digits(x: f32[N, 8]) -> (y: f32[8, N]) {
    y[k, n] = x[n, k];
}

check split_digits(N = 5);
check split_digits(N = 77);
