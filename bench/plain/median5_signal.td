// A signal less the median of five around each value: spikes.
export fn median5_signal(x: f32[C, T]) -> (y: f32[C, T - 4]) {
    require T >= 5, "five values at least";
    let (v[c, t in T - 4, r], _) = sort[k in 0..5](x[c, t + k]);
    y[c, t] = x[c, t + 2] - v[c, t, 2];
}
check median5_signal(C = 3, T = 41);
bench median5_signal(C = 64, T = 100003);
