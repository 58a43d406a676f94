// Windows of 7 x 7 of an image that is rolled by 3, channels last.
export fn shifted_windows(x: f16[N, 7*P, 7*Q, C]) -> (y: f16[N, P, Q, 49, C]) {
    y[n, p, q, k, c] = x[n, (7*p + k / 7 + 3) % (7*P), (7*q + k % 7 + 3) % (7*Q), c];
}
check shifted_windows(N = 2, P = 2, Q = 3, C = 12);
bench shifted_windows(N = 64, P = 8, Q = 8, C = 96);
