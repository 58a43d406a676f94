// Decay and input of each step of a selective state space, and the sum of both over the states.
import "nn";
export fn selective_steps(dt: bf16[B, L, D], bias: f32[D], a: f32[D, 16], u: bf16[B, L, D], bm: bf16[B, L, 16])
        -> (decay: bf16[B, L, D, 16], x: bf16[B, L, D, 16], total: f32[D]) {
    let s[b, l, d] = softplus(dt[b, l, d] + bias[d]);
    decay[b, l, d, n] = exp(-s[b, l, d] * exp(a[d, n]));
    x[b, l, d, n] = s[b, l, d] * u[b, l, d] * bm[b, l, n];
    total[d] = sum[b, l](s[b, l, d]);
}
check selective_steps(B = 2, L = 5, D = 7);
bench selective_steps(B = 2, L = 512, D = 1024);
