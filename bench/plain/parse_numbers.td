// Fields of ten characters, padded with spaces on the left, to integers; what is no number is 0 and marked.
export fn parse_numbers(s: u8[N, 10]) -> (value: i64[N], bad: bool[N], failed: i32[]) {
    let digit[n, k in 10] = s[n, k] >= 48 && s[n, k] < 58;
    bad[n] = any[k](!digit[n, k] && s[n, k] != 32) || any[k in 1..10](s[n, k] == 32 && s[n, k - 1] != 32) || s[n, 9] == 32;
    let weight: i64[k in 10] = prod[p in 0..9 where p >= k](10);
    value[n] = if bad[n] then 0 else sum[k where digit[n, k]](i64(s[n, k] - 48) * weight[k]);
    failed[] = sum[n](bad[n]);
}
check parse_numbers(N = 301) with s in 30..58;
bench parse_numbers(N = 6000001) with s in 46..58;
