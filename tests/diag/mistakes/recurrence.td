export fn cumsum(x: f32[N]) -> (y: f32[N]) { y[i] = (if i > 0 then y[i - 1] else 0.0) + x[i]; }
