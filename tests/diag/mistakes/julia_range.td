export fn f(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[k in 1:N](x[i, k]); }
