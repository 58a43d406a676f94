// A weight and its low-rank change, brought to given lengths of its columns, and those that they had.
export fn dora_columns(w: bf16[O, I], delta: f32[O, I], m: f32[I], alpha: f32) -> (y: bf16[O, I], norm: f32[I]) {
    let v[o, i] = w[o, i] + alpha * delta[o, i];
    norm[i] = sqrt(sum[o](v[o, i] ** 2));
    y[o, i] = m[i] * v[o, i] / norm[i];
}
check dora_columns(O = 37, I = 13, alpha = 0.5);
bench dora_columns(O = 5120, I = 2560, alpha = 0.5);
