// A clipped loss of values over the steps that count, its gradient, and how much of the returns' variance is explained.
export fn value_loss(v: f32[N], old: f32[N], ret: f32[N], mask: bool[N]) -> (loss: f32[], dv: f32[N], explained: f32[]) {
    let c[i] = old[i] + clamp(v[i] - old[i], -0.2, 0.2);
    let a[i] = (v[i] - ret[i]) ** 2;
    let b[i] = (c[i] - ret[i]) ** 2;
    let n = f32(max(sum[i](mask[i]), 1));
    loss[] = 0.5 * sum[i where mask[i]](max(a[i], b[i])) / n;
    dv[i] = if mask[i] && (a[i] >= b[i] || abs(v[i] - old[i]) < 0.2) then (v[i] - ret[i]) / n else 0;
    let mr = mean[i where mask[i]](ret[i]);
    explained[] = 1 - mean[i where mask[i]](a[i]) / (mean[i where mask[i]]((ret[i] - mr) ** 2) + 1e-8);
}
check value_loss(N = 1021);
bench value_loss(N = 9000001);
