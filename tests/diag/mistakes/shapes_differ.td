fn add(a: f32[N], b: f32[N]) -> (c: f32[N]) { c[i] = a[i] + b[i]; }
export fn residual(x: f32[D], w: f32[D + 1]) -> (y: f32[D]) { y = add(x, w); }
