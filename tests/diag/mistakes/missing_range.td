export fn blur(x: f32[N + 2]) -> (y: f32[N]) { y[i] = sum[r](x[i + r]) / 3.0; }
