export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = if x[i] > 0.0 then x[i]; }
