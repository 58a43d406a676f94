fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
check f(N = 3);
