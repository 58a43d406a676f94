// Profiles of pages: ink by row, by column and in all, and the rows above the mean.
export fn row_column_profiles(x: u8[N, H, W]) -> (r: i32[N, H], c: i32[N, W], s: i32[N], line: bool[N, H]) {
    r[n, i] = sum[j](255 - i32(x[n, i, j]));
    c[n, j] = sum[i](255 - i32(x[n, i, j]));
    s[n] = sum[i, j](255 - i32(x[n, i, j]));
    line[n, i] = r[n, i] * i32(H) > s[n];
}
check row_column_profiles(N = 3, H = 11, W = 17) with x in 0..256;
bench row_column_profiles(N = 16, H = 1754, W = 1240) with x in 0..256;
