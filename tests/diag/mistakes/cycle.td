export fn f(x: f32[N]) -> (y: f32[N]) { let a[i] = b[i] + x[i]; let b[i] = a[i] * 2.0; y[i] = a[i]; }
