export fn segmean(x: f32[N, D], off: i32[B + 1]) -> (y: f32[B, D]) {
    y[b, d] = sum[n in off[b]..off[b + 1]](x[n, d]) / (off[b + 1] - off[b]);
}
