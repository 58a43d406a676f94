// Exponentials under their maximum, or under a finite number where that is infinite: a row of -inf has a sum of 0, one
// with an inf a sum of inf, or NaN where only the least maximum is spared; in one pass, of rows, of shares and of both.
import "nn";
reduce under[k](e) { let m = max[k](e); return sum[k](exp(e - (if m == -inf then 0.0 else m))); }
export fn masked(x: f32[M, V], c: f32) -> (l: f32[M], s: f32[M], y: f32[M, V]) {
    let z[i, v] = if x[i, v] > c then 4 * x[i, v] else -inf;
    l[i] = lse[v](z[i, v]);
    s[i] = under[v](z[i, v]);
    y[i, v] = x[i, v] - lse[k](x[i, k]);
}
export fn infinite(x: f32[M, V], c: f32) -> (l: f32[M], s: f32[M]) {
    let z[i, v] = if x[i, v] > c then inf else x[i, v];
    l[i] = lse[v](z[i, v]);
    s[i] = under[v](z[i, v]);
}
export fn missing(x: f32[M, V], c: f32) -> (l: f32[M], s: f32[M]) {
    let z[i, v] = if x[i, v] > c then sqrt(-1 - x[i, v] * x[i, v]) else x[i, v];
    l[i] = lse[v](z[i, v]);
    s[i] = under[v](z[i, v]);
}
export fn smoothed(x: f16[M, V], w: f32[M, V]) -> (y: f32[M]) {
    let p[i, v] = x[i, v] - lse[k](x[i, k]);
    y[i] = sum[v](p[i, v] * w[i, v]) - lse[v](0.5 * x[i, v]);
}

check masked(M = 3, V = 37, c = 0);
check masked(M = 9, V = 5, c = 0.8);
check masked(M = 1, V = 9001, c = 0.5); // check-all
check masked(M = 2, V = 300, c = 2);
check masked(M = 2, V = 0, c = 0);
check infinite(M = 5, V = 61, c = 0.95);
check infinite(M = 1, V = 9001, c = 0.999);
check infinite(M = 3, V = 8, c = 2);
check missing(M = 5, V = 61, c = 0.95);
check missing(M = 1, V = 9001, c = 0.999);
check smoothed(M = 3, V = 131);
check smoothed(M = 1, V = 9001); // check-all
