export fn f(x: f32[B..., N]) -> (y: f32[B..., N]) { y[b..., n] = 2.0 * x[b..., n]; }
