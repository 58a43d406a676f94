// Imported by calls.td; alone it has no export.
fn square(x: f32) -> f32 = x * x;

fn rms_norm(x: f32[B..., N], eps: f32 = 1e-5) -> (y: f32[B..., N]) {
    let ms[b...] = mean[n](square(x[b..., n]));
    y[b..., n] = x[b..., n] * rsqrt(ms[b...] + eps);
}

fn group_sum(x: f32[M, 8*D]) -> (y: f32[M, D]) {
    y[i, d] = sum[g in 0..8](x[i, g*D + d]);
}
