export fn scale(x: f32[N]) -> (y: f32[N]) { y[i] = 2.0f * x[i]; }
