// Windows over rows and columns of planes; what lies outside counts as 0.
export fn taps_once(x: f16[B, P, Q], w: f16[2, 2]) -> (y: f16[B, P, Q]) {
    y[b, p, q] = sum[r in 0..2, s in 0..2](pad(x[b, p + r - 1, q + s - 1], 0.0) * w[r, s]);
}

check taps_once(B = 1, P = 1, Q = 1);
check taps_once(B = 2, P = 5, Q = 8);
check taps_once(B = 9, P = 3, Q = 37);
check taps_once(B = 3, P = 2, Q = 300);
