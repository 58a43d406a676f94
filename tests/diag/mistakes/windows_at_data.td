export fn a(x: f32[N], t: i32[M]) -> (y: f32[M, K]) { y[m, k] = x[t[m] + k]; }
