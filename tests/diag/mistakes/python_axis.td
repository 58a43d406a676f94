export fn rowmax(x: f32[M, N]) -> (y: f32[M]) { y[i] = max(x, axis=1); }
