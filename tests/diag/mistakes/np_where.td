export fn f(x: f32[N]) -> (y: f32[N]) { y = np.where(x > 0, x, 0); }
