// A gate: each element times the product of the decays up to it, from a running sum of logarithms.
import "nn";
export fn decay_scan(x: f32[M, T], a: f32[M, T]) -> (y: f32[M, T]) {
    let s[i, t] = sum[k where k <= t](-0.01 * softplus(a[i, k]));
    y[i, t] = x[i, t] * exp(s[i, t]);
}
check decay_scan(M = 3, T = 129);
bench decay_scan(M = 2048, T = 8192);
