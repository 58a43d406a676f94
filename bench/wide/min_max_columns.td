// Each column scaled to 0..1 by its least and largest value.
export fn min_max_columns(x: f32[M, N]) -> (y: f32[M, N]) {
    let lo[j] = min[i](x[i, j]);
    let hi[j] = max[i](x[i, j]);
    y[i, j] = (x[i, j] - lo[j]) / max(hi[j] - lo[j], 1e-12);
}
check min_max_columns(M = 101, N = 13);
bench min_max_columns(M = 50000, N = 300);
