// What order.td exports of another file.
fn imported(x: f32[N]) -> (a: f32[N], b: f32[N]) { (a, b) = inner(x); }
fn inner(x: f32[N]) -> (a: f32[N], b: f32[N]) { b[n] = 2 * x[n] + 2; a[n] = b[n] / 2; }
