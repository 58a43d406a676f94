export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = if x[i] > 0.0 and x[i] < 1.0 then x[i] else 0.0; }
