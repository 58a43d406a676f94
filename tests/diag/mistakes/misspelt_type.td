export fn copy(x: bfloat16[N]) -> (y: f32[N]) { y[i] = x[i]; }
