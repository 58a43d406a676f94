export fn f(input: f32[N]) -> (y: f32[N]) { y[i] = inptu[i]; }
