// Weights of four bits by a table of 16 levels, with a scale in bytes for 64 of them and a scale for those scales.
export fn nf4_weight(q: u4[N, 64*G], level: f32[16], s: u8[N, G], s2: f32[N], offset: f32) -> (w: bf16[N, 64*G]) {
    w[n, j] = level[i32(q[n, j])] * (f32(s[n, j / 64]) / 255 * s2[n] + offset);
}
check nf4_weight(N = 5, G = 3, offset = 0.05);
bench nf4_weight(N = 11008, G = 64, offset = 0.05);
