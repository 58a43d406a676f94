export fn f(x: f32[N]) -> (y: f32[N]) { let v = tl.load(x + offs); y[i] = v; }
