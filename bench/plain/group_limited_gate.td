// Experts of the four best of eight groups, by sigmoid scores with a bias that only ranks.
import "nn";
export fn group_limited_gate(x: f32[T, 8, 32], bias: f32[8, 32]) -> (s: f32[T, 8, 32], open: bool[T, 8]) {
    let a[t, g, e] = sigmoid(x[t, g, e]);
    let best[t, g] = max[e](a[t, g, e] + bias[g, e]);
    let above[t, g in 8] = sum[k](best[t, k] > best[t, g] || best[t, k] == best[t, g] && k < g);
    open[t, g] = above[t, g] < 4;
    s[t, g, e] = if above[t, g] < 4 then a[t, g, e] + bias[g, e] else -inf;
}
check group_limited_gate(T = 37) with bias ~ 0.1;
bench group_limited_gate(T = 50000) with bias ~ 0.1;
