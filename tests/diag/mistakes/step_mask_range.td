export fn f(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[k in 0..N..2](x[i, k]); }
