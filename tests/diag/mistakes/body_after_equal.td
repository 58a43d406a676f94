fn square(x: f32) -> f32 = { let a = x; return a * a; }
export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = square(x[i]); }
