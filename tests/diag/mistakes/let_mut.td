export fn f(x: f32[N]) -> (y: f32[N]) { let mut t[i] = x[i]; y[i] = t[i]; }
