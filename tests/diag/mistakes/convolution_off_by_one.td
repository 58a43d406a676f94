export fn conv(x: f32[N], w: f32[K]) -> (y: f32[N - K + 1]) { y[i] = sum[k](x[i + k + 1] * w[k]); }
