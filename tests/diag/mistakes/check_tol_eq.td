export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
check f(N = 8) tol = 1e-3;
