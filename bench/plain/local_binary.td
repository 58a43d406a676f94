// Local binary patterns of the inner pixels: which of the eight neighbours are not darker.
export fn local_binary(x: u8[N, H + 2, W + 2]) -> (y: u8[N, H, W]) {
    let q[n, i in H, j in W, k in 9] = x[n, i + k / 3, j + k % 3] >= x[n, i + 1, j + 1];
    y[n, i, j] = u8(sum[k in 0..9 where k != 4 && q[n, i, j, k]](1 << (if k < 4 then k else k - 1)));
}
check local_binary(N = 2, H = 7, W = 9) with x in 0..256;
bench local_binary(N = 32, H = 700, W = 900) with x in 0..256;
