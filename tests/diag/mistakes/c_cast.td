export fn f(k: i32[N]) -> (y: f32[N]) { y[i] = (f32) k[i] * 0.5; }
