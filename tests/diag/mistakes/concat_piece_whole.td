export fn concat(a: f32[N, C], b: f32[N, D]) -> (y: f32[N, C + D]) {
    y[n, c] = a[n, c];
    y[n, C + d] = b[n, d];
}
