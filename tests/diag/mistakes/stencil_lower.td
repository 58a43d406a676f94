export fn smooth(x: f32[H, W]) -> (y: f32[H, W]) { y[i, j] = 0.5 * (x[i, j - 1] + x[i, j]); }
