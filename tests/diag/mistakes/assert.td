export fn f(x: f32[N]) -> (y: f32[N]) { assert N % 8 == 0; y[i] = x[i]; }
