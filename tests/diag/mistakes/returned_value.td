export fn scale(x: f32[N]) -> (y: f32[N]) { return 2.0 * x; }
