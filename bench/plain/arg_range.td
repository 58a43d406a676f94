// When each channel is largest and least over time, and the span between.
export fn arg_range(x: bf16[B, T, C]) -> (top: i32[B, C], low: i32[B, C], span: f32[B, C]) {
    top[b, c] = i32(argmax[t](x[b, t, c]));
    low[b, c] = i32(argmin[t](x[b, t, c]));
    span[b, c] = max[t](x[b, t, c]) - min[t](x[b, t, c]);
}
check arg_range(B = 3, T = 37, C = 13);
bench arg_range(B = 32, T = 1000, C = 1023);
