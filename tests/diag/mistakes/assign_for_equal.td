export fn eye(x: f32[N]) -> (y: f32[N, N]) { y[i, j] = if i = j then x[i] else 0.0; }
