// The same names as in one.td with other meanings and arguments.
fn shape(v: f32) -> f32 = 3 * v;
export fn f(x: f32[N], scale: f32) -> (y: f32[N]) { y[i] = scale * shape(x[i]); }
export fn centred(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] - 10.0; }
