export fn shift(x: f32[Width]) -> (y: f32[Width]) { y[i] = if i + 1 < Widht then x[i + 1] else 0.0; }
