// Adler's checksum of each record of bytes.
export fn adler_rows(s: u8[M, N]) -> (sum32: u32[M]) {
    let a[i] = (1 + sum[j](i64(s[i, j]))) % 65521;
    let b[i] = (N + sum[j](i64(s[i, j]) * (N - j))) % 65521;
    sum32[i] = u32(b[i]) << 16 | u32(a[i]);
}
check adler_rows(M = 5, N = 137) with s in 0..=255;
bench adler_rows(M = 16384, N = 4001) with s in 0..=255;
