// What the experts made of each token, weighted, onto the residual; some choices were dropped.
export fn combine_experts(x: bf16[R, D], slot: i32[T, 4], w: f32[T, 4], r: bf16[T, D]) -> (y: bf16[T, D]) {
    assume -1 <= slot[t, k] && slot[t, k] < R;
    y[t, d] = r[t, d] + sum[k where slot[t, k] >= 0](w[t, k] * x[slot[t, k], d]);
}
check combine_experts(R = 29, D = 37, T = 11);
bench combine_experts(R = 16384, D = 2048, T = 4096);
