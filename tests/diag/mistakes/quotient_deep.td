export fn rotary(x: f32[T, D]) -> (y: f32[T, D]) { y[t, i] = x[t, i] * exp(-13.2 * i / (D / 2)); }
