// Reaction and diffusion of two substances in half precision on a torus of nine-point stencils.
fn lap9(x: f32[H, W]) -> (y: f32[H, W]) {
    y[i, j] = sum[r in 0..3, s in 0..3](x[(i + r - 1 + H) % H, (j + s - 1 + W) % W]) / 9 - x[i, j];
}
export fn gray_scott(u: f16[H, W], v: f16[H, W], feed: f32, kill: f32) -> (p: f16[H, W], q: f16[H, W]) {
    let a: f32[i, j] = u[i, j];
    let b: f32[i, j] = v[i, j];
    let la = lap9(a);
    let lb = lap9(b);
    p[i, j] = clamp(a[i, j] + 0.2 * la[i, j] - a[i, j] * b[i, j] ** 2 + feed * (1 - a[i, j]), 0, 1);
    q[i, j] = clamp(b[i, j] + 0.1 * lb[i, j] + a[i, j] * b[i, j] ** 2 - (feed + kill) * b[i, j], 0, 1);
}
check gray_scott(H = 9, W = 13, feed = 0.04, kill = 0.06) with u in 0.0..1.0, v in 0.0..1.0;
bench gray_scott(H = 4096, W = 3001, feed = 0.04, kill = 0.06) with u in 0.0..1.0, v in 0.0..1.0;
