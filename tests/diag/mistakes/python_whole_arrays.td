export fn scale(x: f32[M, N]) -> (y: f32[M, N]) { y = 2.0 * x; }
