export fn scale(x: f32[N]) { y[i] = 2.0 * x[i]; }
