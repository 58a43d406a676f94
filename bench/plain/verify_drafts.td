// How many of a draft's tokens are taken, and what is left of the target's distribution where the first is refused.
export fn verify_drafts(p: f32[B, K + 1, V], q: f32[B, K, V], ids: i32[B, K], u: f32[B, K]) -> (n: i32[B], rest: f32[B, V]) {
    assume 0 <= ids[b, k] && ids[b, k] < V;
    let ok[b, k in K] = u[b, k] * q[b, k, ids[b, k]] < p[b, k, ids[b, k]];
    n[b] = sum[k in K](all[j where j <= k](ok[b, j]));
    let c[b] = min(max(sum[k in K](all[j where j <= k](ok[b, j])), 0), K);
    let d[b, v] = max(p[b, c[b], v] - (if c[b] < K then q[b, c[b], v] else 0), 0);
    rest[b, v] = d[b, v] / max(sum[w](d[b, w]), 1e-20);
}
check verify_drafts(B = 3, K = 4, V = 37) with p in 0.0..0.05, q in 0.0..0.05, u in 0.0..1.0;
bench verify_drafts(B = 32, K = 5, V = 32000) with p in 0.0..0.0001, q in 0.0..0.0001, u in 0.0..1.0;
