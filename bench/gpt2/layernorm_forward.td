import "norm";
export fn layernorm_forward(inp: f32[B, T, C], weight: f32[C], bias: f32[C]) -> (out: f32[B, T, C], mean: f32[B, T], rstd: f32[B, T]) {
    (out, mean, rstd) = layer_norm_stats(inp, weight, bias);
}
check layernorm_forward(B = 2, T = 3, C = 36);
bench layernorm_forward(B = 4, T = 1024, C = 768);
