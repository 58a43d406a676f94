# doubles
export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = 2.0 * x[i]; }
