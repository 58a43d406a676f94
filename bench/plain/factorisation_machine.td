// A factorisation machine over categories: the linear part, and all products of two of the features' vectors.
import "nn";
export fn factorisation_machine(ids: i32[B, F], w: f32[V], e: f32[V, K], bias: f32[]) -> (p: f32[B]) {
    assume 0 <= ids[b, f] && ids[b, f] < V;
    let linear[b] = sum[f](w[ids[b, f]]);
    let s[b, k] = sum[f](e[ids[b, f], k]);
    let q[b, k] = sum[f](e[ids[b, f], k] ** 2);
    p[b] = sigmoid(bias[] + linear[b] + 0.5 * sum[k](s[b, k] ** 2 - q[b, k]));
}
check factorisation_machine(B = 13, F = 7, V = 101, K = 5) with e ~ 0.1, w ~ 0.1;
bench factorisation_machine(B = 65536, F = 39, V = 1000003, K = 16) with e ~ 0.1, w ~ 0.1;
