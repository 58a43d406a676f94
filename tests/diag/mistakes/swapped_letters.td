export fn gelu(x: f32[N]) -> (y: f32[N]) { y[i] = 0.5 * x[i] * (1.0 + tahn(0.79 * x[i])); }
