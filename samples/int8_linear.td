/// A linear layer whose weights are int8 with one scale an output: quarter the memory of f32 weights, half that of bf16. The
/// weights become floats in registers; no copy of them in a wider type is ever stored.
export fn forward(x: bf16[M, K], w: i8[N, K], scale: f32[N], bias: f32[N]) -> (y: bf16[M, N]) {
    y[m, n] = sum[k](x[m, k] * bf16(w[n, k])) * scale[n] + bias[n];
}

/// The weights' quantisation: scale[n] = max |w[n, k]| / 127, q = round(w / scale).
export fn quantize(w: f32[N, K]) -> (q: i8[N, K], scale: f32[N]) {
    let s[n] = max(max[k](abs(w[n, k])) / 127, 1e-30);
    q[n, k] = i8(clamp(round(w[n, k] / s[n]), -127, 127));
    scale[n] = s[n];
}

check forward(M = 1, K = 1, N = 1);
check forward(M = 5, K = 130, N = 33) with scale ~ 0.01;
check quantize(N = 1, K = 1);
check quantize(N = 33, K = 130);
bench forward(M = 16, K = 4096, N = 4096);
