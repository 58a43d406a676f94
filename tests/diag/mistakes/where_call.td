export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = where(x[i] > 0.0, x[i], 0.0); }
