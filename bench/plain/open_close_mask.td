// A mask eroded, then dilated, by a cross; how many pixels are left in each.
dim H in 1..;
dim W in 1..;
export fn open_close_mask(m: bool[N, H, W]) -> (y: bool[N, H, W], left: i32[N]) {
    let e[n, i in H, j in W] = m[n, i, j] && m[n, max(i - 1, 0), j] && m[n, min(i + 1, H - 1), j] && m[n, i, max(j - 1, 0)] && m[n, i, min(j + 1, W - 1)];
    y[n, i, j] = e[n, i, j] || e[n, max(i - 1, 0), j] || e[n, min(i + 1, H - 1), j] || e[n, i, max(j - 1, 0)] || e[n, i, min(j + 1, W - 1)];
    left[n] = sum[i, j](y[n, i, j]);
}
check open_close_mask(N = 2, H = 9, W = 13);
bench open_close_mask(N = 64, H = 512, W = 513);
