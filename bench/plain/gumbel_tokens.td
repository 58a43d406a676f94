// One token of each row, drawn by its probability, and the logarithm of that probability.
import "nn";
export fn gumbel_tokens(x: bf16[B, V], temperature: f32[B], seed: i64, step: i64) -> (id: i64[B], lp: f32[B]) {
    let z[b, v] = x[b, v] / temperature[b];
    let g[b, v in V] = -log(-log(random(seed, step, flat(b, v)) + 1e-7));
    let k[b] = argmax[v](z[b, v] + g[b, v]);
    id[b] = k[b];
    lp[b] = if k[b] >= 0 then z[b, k[b]] - lse[v](z[b, v]) else 0;
}
check gumbel_tokens(B = 3, V = 257, seed = 5, step = 9) with temperature in 0.5..1.5;
bench gumbel_tokens(B = 256, V = 128256, seed = 5, step = 9) with temperature in 0.5..1.5;
