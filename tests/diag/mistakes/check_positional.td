export fn f(x: f32[M, N]) -> (y: f32[M, N]) { y[i, j] = x[i, j]; }
check f(8, 16);
