export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = fmaxf(fabs(x[i]), 1.0); }
