export fn f(x: f32[N], m: bool[N]) -> (y: f32[N]) { y[i] = x[i] * m[i]; }
