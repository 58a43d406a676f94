export fn correction(beta: f32[N], step: i32) -> (y: f32[N]) { y[i] = 1 - beta[i] ** step; }
