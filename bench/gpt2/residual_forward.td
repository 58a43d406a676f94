export fn residual_forward(inp1: f32[N], inp2: f32[N]) -> (out: f32[N]) { out[n] = inp1[n] + inp2[n]; }
check residual_forward(N = 37);
bench residual_forward(N = 3145728);
