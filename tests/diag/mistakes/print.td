export fn f(x: f32[N]) -> (y: f32[N]) { print(x[0]); y[i] = x[i]; }
