// A window over pixels, channels last, then a sigmoid gate; what lies outside counts as 0.
export fn taps_apart(x: bf16[P, C], w: bf16[3, C]) -> (y: bf16[P, C]) {
    let s[p, c] = sum[r in 0..3](pad(x[p + r - 1, c], 0.0) * w[r, c]);
    y[p, c] = s[p, c] * sigmoid(s[p, c]);
}

check taps_apart(P = 5, C = 8);
check taps_apart(P = 7, C = 96);
check taps_apart(P = 3, C = 101);
check taps_apart(P = 2, C = 260);
