// The backward of the weighted sum of experts: of what they made, each of whose rows has one token, and of the weights.
export fn combine_bwd(dy: bf16[T, D], x: bf16[R, D], slot: i32[T, 4], w: f32[T, 4]) -> (dx: bf16[R, D], dw: f32[T, 4]) {
    assume 0 <= slot[t, k] && slot[t, k] < R;
    dw[t, k] = sum[d](dy[t, d] * x[slot[t, k], d]);
    dx[r, d] = 0;
    dx[slot[t, k], d] = w[t, k] * dy[t, d];
}
check combine_bwd(T = 7, D = 37, R = 29);
bench combine_bwd(T = 4096, D = 1536, R = 16384);
