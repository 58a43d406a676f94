export fn scale(input: f32[N], factor: f32) -> (y: f32[N]) { y[i] = facotr * input[i]; }
