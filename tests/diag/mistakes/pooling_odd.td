export fn pool(x: f32[N]) -> (y: f32[(N + 1) / 2]) { y[i] = max[r in 0..2](x[2 * i + r]); }
