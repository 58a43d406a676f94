export fn a(x: f32[N], t: i32[M]) -> (y: f32[M]) { y[m] = x[t[m] - 1]; }
