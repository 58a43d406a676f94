export fn f(x: *f32, n: i32) -> (y: f32[N]) { y[i] = x[i]; }
