export fn heads(x: f32[T, H * D]) -> (y: f32[T, H * D]) { y[t, e] = 2.0 * x[t, e]; }
fn tile(x: f32[N]) -> (y: f32[R, N]) { y[r, i] = x[i]; }
export fn f(x: f32[N]) -> (y: f32[4, N]) { y = tile(x); }
