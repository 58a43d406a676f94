export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
check f(x = 1.0, N = 8);
