// Headers: generics, parameters, results, defaults; both kinds of body; composite reductions.
import "nn";
import "./beside.td";

fn identity(x) = x;
fn no_parameters() = 1;
fn typed(x: f32, y: f64, n: int) -> f64 = x + y + n;
fn tensor_result(x: f32[N]) -> acc(f32)[N] = g(x);
fn scalar_body(x) {
    let a = x * x;
    return a * a;
}
fn softmax<T>(x: T[B..., N]) -> (y: T[B..., N]) {
    y[b..., n] = x[b..., n];
}
fn static<T, K: int = 3, causal: bool = true, act: fn = identity, S: int, low: int = -1, high: int = (2 * 8)>(x: T[N]) -> (y: acc(T)[N]) {
}
fn shapes(a: f32[], b: f32[N, 2*H, (W - K)/S + 1], c: f32[8*K], d: i32[B + 1], e: T[A..., N, C...], f: acc(T)[A...]) -> (y: f32[]) {}
fn defaults(x: f32[N], b: f32[N] = 0, eps: f32 = 1e-5, low: f32 = -1.5, flag: bool = true, k: int = K, m: int = (K * 2), s = 1)
        -> (y: f32[N], z: f32[N]) {
    y[n] = x[n];
    z[n] = b[n];
}
fn update(inout p: f32[N], g: f32[N], inout q: bf16[N]) -> (r: f32[N]) {
    p[n] += g[n];
}
fn packed(a: u4[N], b: i4[N]) -> (y: u8[N]) {}
export fn concrete(x: bf16[M, N]) -> (y: bf16[M, N]) { y[i, j] = x[i, j]; }
export fn host(step: i32) -> f32 = 0.001 * step;
export renamed = softmax(T = bf16, B = [M]);

reduce lse[k](e) { let m = max[k](e); return m + log(sum[k](exp(e - m))); }
reduce moments[k...](e) {
    let m = mean[k...](e);
    return (m, mean[k...]((e - m) ** 2), 0);
}
reduce total[h, w](e) = sum[h, w](e);
