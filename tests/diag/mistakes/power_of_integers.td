export fn scale(k: i32[N]) -> (y: f32[N]) { y[i] = 2 ** k[i]; }
