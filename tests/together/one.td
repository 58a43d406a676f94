// Two entries, of which the second has a temporary and a function that other.td has too.
fn shape(v: f32) -> f32 = 2 * v + 1;
export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = shape(x[i]); }
export fn centred(x: f32[M, N]) -> (y: f32[M, N]) {
    let total[j] = sum[i](x[i, j]);
    y[i, j] = x[i, j] * f32(M) - total[j];
}
