// Trades in order of time to bars: first, largest, least and last price, and the volume, NaN where nobody traded.
export fn trades_to_bars(px: f32[N], vol: i32[N], start: i32[B + 1]) -> (bar: f32[B, 4], traded: i32[B]) {
    assume 0 <= start[b] && start[b] <= N;
    assume start[b] <= start[b + 1];
    bar[b, 0] = if start[b] < start[b + 1] then px[start[b]] else nan;
    bar[b, 1] = max[n in start[b]..start[b + 1]](px[n]);
    bar[b, 2] = min[n in start[b]..start[b + 1]](px[n]);
    bar[b, 3] = if start[b] < start[b + 1] then px[start[b + 1] - 1] else nan;
    traded[b] = sum[n in start[b]..start[b + 1]](vol[n]);
}
check trades_to_bars(N = 303, B = 37) with vol in 0..100;
bench trades_to_bars(N = 12000001, B = 100000) with vol in 0..100;
