export fn f(a: f32[M, P], b: f32[M, Q]) -> (y: f32[M, P + Q]) { let t[i, j in P] = a[i, j]; let t[i, P + j] = b[i, j]; y[i, j] = t[i, j]; }
