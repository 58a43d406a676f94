export fn f(x: [N]f32) -> (y: f32[N]) { y[i] = x[i]; }
