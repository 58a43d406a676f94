export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = sqrt(1.0 + exp(x[i]); }
