import "nn";
export fn gelu_forward(inp: f32[N]) -> (out: f32[N]) { out[n] = gelu_tanh(inp[n]); }
check gelu_forward(N = 37);
bench gelu_forward(N = 12582912);
