// Generalised advantages within episodes, the returns, and the advantages normalised over all.
export fn advantages(r: f32[E, 128], v: f32[E, 129], done: bool[E, 128]) -> (adv: f32[E, 128], ret: f32[E, 128]) {
    let d[e, t in 128] = r[e, t] + (if done[e, t] then 0 else 0.99 * v[e, t + 1]) - v[e, t];
    let ends[e, t in 128] = sum[k where k < t](done[e, k]);
    let a[e, t in 128] = sum[k where k >= t && ends[e, k] == ends[e, t]](0.9405 ** (k - t) * d[e, k]);
    ret[e, t] = a[e, t] + v[e, t];
    let mu = mean[e, t](a[e, t]);
    let va = mean[e, t]((a[e, t] - mu) ** 2);
    adv[e, t] = (a[e, t] - mu) * rsqrt(va + 1e-8);
}
check advantages(E = 3);
bench advantages(E = 16384);
