export fn f(a: f32[N]) -> (y: f32[2 * N]) { y[i in N] = a[i]; }
