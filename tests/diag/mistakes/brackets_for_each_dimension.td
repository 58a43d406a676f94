export fn f(x: f32[N][M]) -> (y: f32[N]) { y[i] = x[i][0]; }
