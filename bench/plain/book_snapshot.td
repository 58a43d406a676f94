// Ten levels of an order book: mid, spread, price weighted by the best sizes, and imbalance over the levels.
export fn book_snapshot(px: f32[T, 2, 10], size: i32[T, 2, 10]) -> (mid: f32[T], spread: f32[T], micro: f32[T], tilt: f32[T]) {
    assume 0 <= size[t, s, l] && size[t, s, l] < 100000;
    let depth[t, s] = sum[l](size[t, s, l]);
    mid[t] = 0.5 * (px[t, 0, 0] + px[t, 1, 0]);
    spread[t] = px[t, 1, 0] - px[t, 0, 0];
    micro[t] = (px[t, 0, 0] * f32(size[t, 1, 0]) + px[t, 1, 0] * f32(size[t, 0, 0])) / f32(max(size[t, 0, 0] + size[t, 1, 0], 1));
    tilt[t] = f32(depth[t, 0] - depth[t, 1]) / f32(max(depth[t, 0] + depth[t, 1], 1));
}
check book_snapshot(T = 101) with px in 99.0..101.0;
bench book_snapshot(T = 600001) with px in 99.0..101.0;
