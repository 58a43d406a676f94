// What is left of a distribution without the tokens that are far less likely than the best, and how many those are.
import "nn";
export fn min_p_filter(x: bf16[B, V], temperature: f32[B], least: f32[B]) -> (y: f32[B, V], n: i32[B]) {
    let z[b, v] = x[b, v] / temperature[b];
    let p = softmax(z);
    let top[b] = max[v](p[b, v]);
    let keep[b, v] = p[b, v] >= least[b] * top[b];
    let s[b] = sum[v where keep[b, v]](p[b, v]);
    y[b, v] = if keep[b, v] then p[b, v] / s[b] else 0;
    n[b] = sum[v](keep[b, v]);
}
check min_p_filter(B = 3, V = 257) with temperature in 0.5..1.5, least in 0.02..0.2;
bench min_p_filter(B = 48, V = 151936) with temperature in 0.5..1.5, least in 0.02..0.2;
