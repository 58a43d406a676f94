export fn f(a: f32[M, K], b: f32[K, N]) -> (c: f32[M, N]) { c[i, j] = a[i, k] * b[k, j]; }
