// Scenarios of profit: each desk's mean loss beyond its limit, how many scenarios break it, and the worst total.
export fn expected_shortfall(pnl: f32[S, D], limit: f32[D]) -> (es: f32[D], breaks: i32[D], worst: f32[]) {
    breaks[d] = sum[s where -pnl[s, d] > limit[d]](1);
    es[d] = sum[s where -pnl[s, d] > limit[d]](-pnl[s, d]) / f32(max(breaks[d], 1));
    let total[s] = sum[d](pnl[s, d]);
    worst[] = -min[s](total[s]);
}
check expected_shortfall(S = 101, D = 13);
bench expected_shortfall(S = 50000, D = 513);
