// The loss between 32 quantiles and as many of the target, of each state, and the gradient.
export fn quantile_huber(q: f32[B, 32], t: f32[B, 32]) -> (loss: f32[B], dq: f32[B, 32]) {
    let u[b, i, j] = t[b, j] - q[b, i];
    let w[b, i, j] = abs((f32(i) + 0.5) / 32 - (if u[b, i, j] < 0 then 1.0 else 0.0));
    let h[b, i, j] = if abs(u[b, i, j]) <= 1 then 0.5 * u[b, i, j] ** 2 else abs(u[b, i, j]) - 0.5;
    loss[b] = sum[i](mean[j](w[b, i, j] * h[b, i, j]));
    dq[b, i] = -mean[j](w[b, i, j] * clamp(u[b, i, j], -1, 1)) / B;
}
check quantile_huber(B = 13);
bench quantile_huber(B = 262144);
