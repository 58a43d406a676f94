export fn f(x: f32[N]) -> (y: f32[N]) { y = map (\v -> v + 1.0) x; }
