// Blocks of 8 x 8 of a plane: their cosine transform along both axes, over a table, as JPEG has it.
fn basis(k: int, i: int) = (if k == 0 then 0.35355339 else 0.5) * cos(0.19634954 * f32((2*i + 1) * k));
export fn dct8_quantise(x: u8[N, 8*P, 8*Q], q: f32[8, 8]) -> (y: i16[N, P, Q, 8, 8]) {
    let r[n, p in P, s in Q, i in 8, v in 8] = sum[j in 0..8](basis(v, j) * (f32(x[n, 8*p + i, 8*s + j]) - 128));
    let z[n, p, s, u in 8, v] = sum[i in 0..8](basis(u, i) * r[n, p, s, i, v]);
    y[n, p, s, u, v] = i16(round(z[n, p, s, u, v] / q[u, v]));
}
check dct8_quantise(N = 2, P = 2, Q = 3) with x in 0..256, q in 4.0..40.0;
bench dct8_quantise(N = 16, P = 90, Q = 160) with x in 0..256, q in 4.0..40.0;
