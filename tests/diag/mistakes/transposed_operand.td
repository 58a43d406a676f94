export fn matmul(x: f32[M, K], w: f32[N, K]) -> (y: f32[M, N]) { y[i, j] = sum[k](x[i, k] * w[k, j]); }
