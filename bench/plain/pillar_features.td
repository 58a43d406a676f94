// Points of pillars with their offsets from the pillar's mean and centre, zero where there is no point.
export fn pillar_features(p: f32[P, K, 4], n: i32[P], at: i32[P, 2], size: f32) -> (y: f16[P, K, 9]) {
    let c[i, a in 3] = sum[k where k < n[i]](p[i, k, a]) / f32(max(n[i], 1));
    let full[i, k, a in 9] = if a < 4 then p[i, k, a] else if a < 7 then p[i, k, a - 4] - c[i, a - 4] else p[i, k, a - 7] - size * (f32(at[i, a - 7]) + 0.5);
    y[i, k, a] = if k < n[i] then full[i, k, a] else 0;
}
check pillar_features(P = 13, K = 7, size = 0.16) with n in 0..8, at in 0..432;
bench pillar_features(P = 40000, K = 32, size = 0.16) with n in 0..33, at in 0..432;
