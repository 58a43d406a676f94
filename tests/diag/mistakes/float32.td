export fn f(x: float32[N]) -> (y: f32[N]) { y[i] = x[i]; }
