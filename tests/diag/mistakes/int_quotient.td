export fn f(a: i32[N], b: i32[N]) -> (y: f32[N]) { y[i] = a[i] / b[i]; }
