// Lines of text to capitals, with the words of each line counted.
fn letter(c) = (c >= 65 && c <= 90) || (c >= 97 && c <= 122);
export fn upper_and_words(s: u8[M, N]) -> (y: u8[M, N], words: i32[M]) {
    y[i, j] = u8(if s[i, j] >= 97 && s[i, j] <= 122 then s[i, j] - 32 else s[i, j]);
    words[i] = sum[j](letter(s[i, j]) && !letter(pad(s[i, j - 1], 32)));
}
check upper_and_words(M = 5, N = 137) with s in 32..127;
bench upper_and_words(M = 65536, N = 255) with s in 32..127;
