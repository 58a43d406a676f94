export fn a(x: f32[N], off: i32[B + 1]) -> (y: f32[B, K]) { y[b, s] = if off[b] + s < off[b + 1] then x[off[b] + s] else 0; }
