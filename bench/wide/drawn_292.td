// Random program 292; how it was drawn: DRAWN in wide.py.
export fn drawn_292(x0: f16[2*A, 4*A], x2: bool[4*A, 2*A], x3: u8[4*A, 2*A], x4: i32[4*A])
        -> (y5: f16[4*A, 2*A], y6: f16[8]) {
    assume -2 <= x4[a] && x4[a] <= 2*A;
    let t1: f32[i, j] = clamp(lgamma(abs((x0[max(i - 1, 0), j] + ((x0[i, j] - i) * log2(abs(x0[i, j]) + 0.5)))) + 0.5), -4.0, 4.0);
    y5[i, j] = if x2[i, j] && x2[i, (j + 1) % (2*A)] then f32(x3[(i + 1) % (4*A), j]) else max[k in 0..4*A where x4[k] == j](max(t1[j, i / 2], (bf16(t1[j, k]) * atanh(0.9 * tanh(f32(j - 1))))));
    y6[i] = 0.1;
}
check drawn_292(A = 7);
bench drawn_292(A = 1153);
