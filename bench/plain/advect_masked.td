// Upwind transport of tracers in five dimensions over a sea with land, and the mass of each tracer and level.
export fn advect_masked(q: f32[B, C, D, H, W], u: f32[B, D, H, W], sea: bool[H, W]) -> (y: f32[B, C, D, H, W], mass: f32[C, D]) {
    let left[b, c, k, i, j] = if j > 0 && sea[i, max(j - 1, 0)] then q[b, c, k, i, max(j - 1, 0)] else q[b, c, k, i, j];
    let right[b, c, k, i, j] = if j + 1 < W && sea[i, min(j + 1, W - 1)] then q[b, c, k, i, min(j + 1, W - 1)] else q[b, c, k, i, j];
    let slope[b, c, k, i, j] = if u[b, k, i, j] > 0 then q[b, c, k, i, j] - left[b, c, k, i, j] else right[b, c, k, i, j] - q[b, c, k, i, j];
    y[b, c, k, i, j] = if sea[i, j] then q[b, c, k, i, j] - 0.2 * u[b, k, i, j] * slope[b, c, k, i, j] else 0;
    mass[c, k] = sum[b, i, j](y[b, c, k, i, j]);
}
check advect_masked(B = 2, C = 3, D = 4, H = 5, W = 7);
bench advect_masked(B = 2, C = 3, D = 20, H = 181, W = 360);
