export fn f(x: f32[N], b: f32[N] = None) -> (y: f32[N]) { y[i] = x[i] + b[i]; }
