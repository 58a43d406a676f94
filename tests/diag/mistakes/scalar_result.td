export fn f(x: f32[N]) -> (s: f32) { s = sum[i](x[i]); }
