dim N in [1, 4096];
export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
