// A clipped policy loss with a KL term against a reference, its gradient, and the share of tokens that were clipped.
export fn grpo_loss(lp: f32[B, T], old: f32[B, T], ref: f32[B, T], adv: f32[B], mask: bool[B, T])
        -> (loss: f32[], grad: f32[B, T], clipped: f32[]) {
    let n[b] = f32(max(sum[t](mask[b, t]), 1));
    let r[b, t] = exp(lp[b, t] - old[b, t]);
    let c[b, t] = clamp(r[b, t], 0.8, 1.2);
    let k[b, t] = exp(ref[b, t] - lp[b, t]);
    let e[b, t] = 0.04 * (k[b, t] - (ref[b, t] - lp[b, t]) - 1) - min(r[b, t] * adv[b], c[b, t] * adv[b]);
    loss[] = mean[b](sum[t where mask[b, t]](e[b, t]) / n[b]);
    let g[b, t] = 0.04 * (1 - k[b, t]) - (if r[b, t] * adv[b] <= c[b, t] * adv[b] then r[b, t] * adv[b] else 0);
    grad[b, t] = if mask[b, t] then g[b, t] / n[b] / B else 0;
    clipped[] = mean[b, t where mask[b, t]](if c[b, t] * adv[b] < r[b, t] * adv[b] then 1.0 else 0.0);
}
check grpo_loss(B = 5, T = 37) with lp ~ 0.2, old ~ 0.2, ref ~ 0.2;
bench grpo_loss(B = 1024, T = 4096) with lp ~ 0.2, old ~ 0.2, ref ~ 0.2;
