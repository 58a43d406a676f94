export fn f(a: f32[N], b: f32[N]) -> (y: f32[N]) { y = a .* b; }
