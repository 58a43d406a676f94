export fn f(x: f32[Rows, N]) -> (y: f32[Rows]) { y[i] = sum[k in Row](x[i, k]); }
