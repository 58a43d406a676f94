export fn rotate(x: f32[B, 2 * D], c: f32[D]) -> (y: f32[B, 2 * D]) {
    y[b, d in 0..D] = x[b, d];
    y[b, D + d] = x[b, d] * c[d];
}
