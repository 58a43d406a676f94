// A gradient as one bit an element, eight to a byte, and the mean size of each row.
export fn pack_signs(x: f16[M, 8*N]) -> (bits: u8[M, N], scale: f32[M]) {
    bits[i, j] = u8(sum[k in 0..8](if x[i, 8*j + k] > 0 then 1 << k else 0));
    scale[i] = mean[j](abs(x[i, j]));
}
check pack_signs(M = 5, N = 37);
bench pack_signs(M = 4096, N = 1500);
