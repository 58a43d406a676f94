export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = y[i - 1] + x[i]; }
