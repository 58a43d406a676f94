export fn f(x: f32[D]) -> (y: f32[D]) { y[d] = if d % 2 == 0 then x[d + 1] else x[d - 1]; }
