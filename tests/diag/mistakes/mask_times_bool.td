export fn masked(x: f32[N], keep: bool[N]) -> (y: f32[N]) { y[i] = x[i] * keep[i]; }
