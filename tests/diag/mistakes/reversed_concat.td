export fn concat(a: f32[N], b: f32[M]) -> (y: f32[N + M]) { y[i] = if i >= N then a[i] else b[i - N]; }
