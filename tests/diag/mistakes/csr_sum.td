export fn a(x: f32[N], off: i32[B + 1]) -> (y: f32[B]) { y[b] = sum[s in off[b]..off[b + 1]](x[s]); }
