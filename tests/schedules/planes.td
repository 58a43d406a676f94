// Statistics over planes that lie apart, one axis where nothing is said of their lengths.
export fn planes(x: f16[N, C, P]) -> (s: f32[C], q: f32[C]) {
    s[c] = sum[n, p](x[n, c, p]);
    q[c] = sum[n, p]((x[n, c, p] - s[c] / (N * P)) ** 2);
}
check planes(N = 3, C = 5, P = 7);
check planes(N = 2, C = 3, P = 40);
