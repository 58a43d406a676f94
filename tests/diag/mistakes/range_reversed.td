export fn reversed(x: f32[N], h: f32[K]) -> (y: f32[N]) { y[n] = sum[k](h[K - 1 - k] * pad(x[n + k], 0.0)); }
