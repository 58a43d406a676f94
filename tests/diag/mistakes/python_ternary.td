export fn relu2(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] if x[i] > 0.0 else 0.0; }
