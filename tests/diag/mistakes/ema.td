export fn ema(x: f32[B, T], a: f32) -> (y: f32[B, T]) { y[b, t] = if t == 0 then x[b, 0] else a * x[b, t] + (1 - a) * y[b, t - 1]; }
