// Values of a duelling head, the action that the online net prefers, and the target net's value of it.
export fn double_q_target(a: bf16[B, A], v: bf16[B], at: bf16[B, A], vt: bf16[B], r: f32[B], legal: bool[B, A])
        -> (act: i32[B], y: f32[B], q: bf16[B, A]) {
    let mu[b] = mean[k](a[b, k]);
    q[b, k] = if legal[b, k] then v[b] + a[b, k] - mu[b] else -inf;
    let best[b] = argmax[i](q[b, i]);
    act[b] = i32(best[b]);
    y[b] = r[b] + 0.99 * (if best[b] >= 0 then vt[b] + at[b, best[b]] - mean[i](at[b, i]) else 0);
}
check double_q_target(B = 11, A = 18);
bench double_q_target(B = 1000000, A = 18);
