export fn scaled(x: f32[N], s: f32[C]) -> (y: f32[N]) { y[i] = x[i] * s[i % C]; }
