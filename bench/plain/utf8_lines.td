// Lines of UTF-8: how many characters, whether every byte that goes on follows one that may, and where the line ends.
export fn utf8_lines(s: u8[M, N]) -> (chars: i32[M], length: i32[M], plain: bool[M]) {
    chars[i] = sum[j where s[i, j] != 0]((s[i, j] & 0xC0) != 0x80);
    length[i] = min(min[j where s[i, j] == 0](i32(j)), i32(N));
    plain[i] = all[j](s[i, j] < 128);
}
check utf8_lines(M = 7, N = 37) with s in 0..=255;
bench utf8_lines(M = 100003, N = 300) with s in 0..=255;
