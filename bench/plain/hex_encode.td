// Bytes to hexadecimal digits, two for each, and the exclusive or of each block's bytes as a sum of bits.
fn hex(v) = if v < 10 then v + 48 else v + 87;
export fn hex_encode(x: u8[B, 64]) -> (y: u8[B, 128], ones: i32[B, 8]) {
    y[b, 2*k] = u8(hex(x[b, k] >> 4));
    y[b, 2*k + 1] = u8(hex(x[b, k] & 15));
    ones[b, q] = sum[k]((i32(x[b, k]) >> i32(q)) & 1) % 2;
}
check hex_encode(B = 37) with x in 0..=255;
bench hex_encode(B = 400001) with x in 0..=255;
