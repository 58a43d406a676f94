option fast_math = true;
export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = exp(x[i]); }
