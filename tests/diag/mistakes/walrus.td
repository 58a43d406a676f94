export fn f(x: f32[N]) -> (y: f32[N]) { t[i] := exp(x[i]); y[i] = t[i]; }
