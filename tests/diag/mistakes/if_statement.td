export fn f(x: f32[N]) -> (y: f32[N]) { if x[0] > 0 then y[i] = x[i]; else y[i] = 0; }
