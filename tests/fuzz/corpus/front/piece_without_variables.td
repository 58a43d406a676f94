export fn f(x: f32[N]) -> (y: f32[N + 1]) { y[0] = 0.0; y[i + 1] = x[i]; }
