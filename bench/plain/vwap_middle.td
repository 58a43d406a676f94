// The price so far, weighted by volume, of each asset: running sums along a middle axis.
export fn vwap_middle(p: f32[B, T, C], vol: i32[B, T, C]) -> (y: f32[B, T, C]) {
    assume 0 <= vol[b, t, c] && vol[b, t, c] < 1000;
    let money[b, t, c] = sum[k where k <= t](p[b, k, c] * f32(vol[b, k, c]));
    let traded[b, t, c] = sum[k where k <= t](vol[b, k, c]);
    y[b, t, c] = money[b, t, c] / f32(max(traded[b, t, c], 1));
}
check vwap_middle(B = 3, T = 37, C = 11) with p in 1.0..100.0;
bench vwap_middle(B = 64, T = 390, C = 500) with p in 1.0..100.0;
