export fn ramp(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] * (i / N); }
