// Cross-entropy of capped logits with a z-loss, over the rows that count, and its gradient.
import "nn";
export fn capped_xent_bwd(x: bf16[M, V], t: i64[M]) -> (loss: f32[], dx: bf16[M, V]) {
    assume -1 <= t[i] && t[i] < V;
    let z[i, v] = 30 * tanh(x[i, v] / 30);
    let l = logsumexp(z);
    let n = f32(max(sum[i where t[i] >= 0](1), 1));
    loss[] = sum[i where t[i] >= 0](l[i] - z[i, t[i]] + 1e-4 * l[i] ** 2) / n;
    let dz[i, v] = exp(z[i, v] - l[i]) * (1 + 2e-4 * l[i]) - (if v == t[i] then 1 else 0);
    dx[i, v] = if t[i] >= 0 then dz[i, v] * (1 - (z[i, v] / 30) ** 2) / n else 0;
}
check capped_xent_bwd(M = 7, V = 131);
bench capped_xent_bwd(M = 1536, V = 32000);
