fn add(a: f16[N], b: f16[N]) -> (c: f16[N]) { c[i] = a[i] + b[i]; }
export fn f(x: f16[N], w: f32[N]) -> (y: f16[N]) { y = add(x, w); }
