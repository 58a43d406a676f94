// Weights of four bits, two in a byte, with a scale and a zero for 128 rows of each column.
export fn dequant_int4(q: u8[128*G, N], s: f16[G, 2*N], z: u8[G, 2*N]) -> (w: f16[128*G, 2*N]) {
    w[k, 2*n] = f32(i32(q[k, n] & 15) - i32(z[k / 128, 2*n])) * s[k / 128, 2*n];
    w[k, 2*n + 1] = f32(i32(q[k, n] >> 4) - i32(z[k / 128, 2*n + 1])) * s[k / 128, 2*n + 1];
}
check dequant_int4(G = 2, N = 13) with q in 0..256;
bench dequant_int4(G = 32, N = 5504) with q in 0..256;
