export fn matmul(x: f32[M, K], w: f32[K, N]) -> (y: f32[M, N]) { y[i, j] = x[i, k] * w[k, j]; }
