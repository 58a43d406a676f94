// The norm behind a state-space layer: gated first, then over each of eight groups of a row.
import "nn";
export fn gated_group_rms(x: bf16[M, 8*K], z: bf16[M, 8*K], w: bf16[8*K]) -> (y: bf16[M, 8*K]) {
    let g[i, j] = x[i, j] * silu(z[i, j]);
    let r[i, q in 8] = rsqrt(mean[k in 0..K](g[i, K*q + k] ** 2) + 1e-5);
    y[i, j] = g[i, j] * r[i, j / K] * w[j];
}
check gated_group_rms(M = 5, K = 13);
bench gated_group_rms(M = 8192, K = 384);
