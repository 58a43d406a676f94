export fn f(x: f32[M, N]) -> (y: f32[M]) { y = sum(x, axis=1); }
