export fn segmean(x: f32[N, D], off: i32[B + 1]) -> (y: f32[B, D]) {
    assume 0 <= off[b] && off[b] <= off[b + 1] && off[b + 1] <= N;
    y[b, d] = sum[n in off[b]..off[b + 1]](x[n, d]) / max(f32(off[b + 1] - off[b]), 1.0);
}
