// The mean of 3 x 3 neighbours, channels last.
dim H in 1..;
dim W in 1..;
export fn mean_window_last(x: f32[N, H, W, C]) -> (y: f32[N, H, W, C]) {
    y[n, i, j, c] = sum[r in 0..3, q in 0..3](pad(x[n, i + r - 1, j + q - 1, c], 0)) / 9;
}
check mean_window_last(N = 2, H = 5, W = 7, C = 5);
bench mean_window_last(N = 16, H = 112, W = 112, C = 64);
