export fn diff(x: f32[N + 1]) -> (y: f32[N]) { y[i] = x[1:] - x[:-1]; }
