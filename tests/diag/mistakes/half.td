export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = 1/2 * x[i]; }
