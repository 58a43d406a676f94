export fn f(x: f32[H, W], h: f32[3, 3]) -> (y: f32[H, W]) { y[i, j] = sum[r, s](x[i + r - 1, j + s - 1] * h[r, s]); }
