dim N hint = 1024;
export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
