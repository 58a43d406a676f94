export fn edges(x: f32[C, W], k: f32[3]) -> (y: f32[W]) {
    let t[c, w in W] = sum[r](k[r] * pad(x[c, w + r - 1], 0.0));
    y[w] = max[c](t[c, w]);
}
