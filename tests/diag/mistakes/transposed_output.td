export fn transpose(x: f32[M, N]) -> (y: f32[N, M]) { y[i, j] = x[i, j]; }
