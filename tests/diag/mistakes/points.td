export fn a(x: f32[H, W], p: i32[M, 2]) -> (y: f32[M]) { y[m] = x[p[m, 0], p[m, 1]]; }
