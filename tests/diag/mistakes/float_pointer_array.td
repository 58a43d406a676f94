export fn scale(float x[N]) -> (y: f32[N]) { y[i] = 2.0 * x[i]; }
