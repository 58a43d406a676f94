// Rows that become the gradient of their loss: the logit of the target is found in the row, up to the padding.
export fn in_place_gathered(inout x: f32[N, P], at: i32[N], V: int) -> (loss: f32[N]) {
    require 1 <= V && V <= P;
    assume 0 <= at[n] && at[n] < V;
    let m[n] = max[v in V](x[n, v]);
    let s[n] = sum[v in V](exp(x[n, v] - m[n]));
    loss[n] = log(s[n]) + m[n] - x[n, at[n]];
    x[n, v] = if v < V then exp(x[n, v] - m[n]) / s[n] - (if v == at[n] then 1.0 else 0.0) else x[n, v];
}
// No row is folded: elements that fewer than all are read for are stored before.
export fn less_others(inout x: f32[M, N], at: i32[M]) {
    require M >= 1;
    assume 0 <= at[i] && at[i] < N;
    x[i, j] = x[i, j] - x[i, at[i]] + x[0, j];
}
