export fn f(x: f32[N]) -> (y: f32[N]) { x[i] = 0.0; y[i] = x[i]; }
