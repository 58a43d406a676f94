// The two best experts of each token, and their weights.
import "nn";
export fn gate_top2(x: f32[M, 64]) -> (w: f32[M, 2], at: i64[M, 2]) {
    let (v[i, r], e[i, r]) = topk[k](x[i, k], 2);
    w[i, r] = exp(v[i, r] - v[i, 0]) / sum[q in 0..2](exp(v[i, q] - v[i, 0]));
    at[i, r] = e[i, r];
}
check gate_top2(M = 37);
bench gate_top2(M = 262147);
