// Sums and means by the six combinations of flag and status (as query 1 of TPC-H).
export fn price_summary(flag: u8[N], status: u8[N], qty: f32[N], price: f32[N], off: f32[N]) -> (sums: f32[3, 2, 3], avg: f32[3, 2], n: i32[3, 2]) {
    sums[f, s, 0] = sum[i where flag[i] == f && status[i] == s](qty[i]);
    sums[f, s, 1] = sum[i where flag[i] == f && status[i] == s](price[i]);
    sums[f, s, 2] = sum[i where flag[i] == f && status[i] == s](price[i] * (1 - off[i]));
    n[f, s] = sum[i where flag[i] == f && status[i] == s](1);
    avg[f, s] = sums[f, s, 2] / f32(max(n[f, s], 1));
}
check price_summary(N = 501) with flag in 0..3, status in 0..2, price in 1.0..100.0, off in 0.0..0.1;
bench price_summary(N = 6000001) with flag in 0..3, status in 0..2, price in 1.0..100.0, off in 0.0..0.1;
