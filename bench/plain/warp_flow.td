// Features of one frame warped by the optical flow to another, by straight lines, the border continued.
export fn warp_flow(x: f16[N, C, H, W], flow: f32[N, 2, H, W]) -> (y: f16[N, C, H, W]) {
    let u[n, i, j] = clamp(j + flow[n, 0, i, j], 0, W - 1);
    let v[n, i, j] = clamp(i + flow[n, 1, i, j], 0, H - 1);
    let j0[n, i, j] = clamp(i32(u[n, i, j]), 0, W - 1);
    let i0[n, i, j] = clamp(i32(v[n, i, j]), 0, H - 1);
    let j1[n, i, j] = min(j0[n, i, j] + 1, W - 1);
    let i1[n, i, j] = min(i0[n, i, j] + 1, H - 1);
    let a[n, i, j] = u[n, i, j] - f32(j0[n, i, j]);
    let b[n, i, j] = v[n, i, j] - f32(i0[n, i, j]);
    y[n, c, i, j] = (1 - b[n, i, j]) * ((1 - a[n, i, j]) * x[n, c, i0[n, i, j], j0[n, i, j]]
                                        + a[n, i, j] * x[n, c, i0[n, i, j], j1[n, i, j]])
                  + b[n, i, j] * ((1 - a[n, i, j]) * x[n, c, i1[n, i, j], j0[n, i, j]]
                                  + a[n, i, j] * x[n, c, i1[n, i, j], j1[n, i, j]]);
}
check warp_flow(N = 2, C = 3, H = 7, W = 9) with flow ~ 3;
bench warp_flow(N = 8, C = 32, H = 256, W = 256) with flow ~ 3;
