export fn f(x: f32[M, N], b: f32[N]) -> (y: f32[M, N]) { y[i, j] = x[i] + b[j]; }
