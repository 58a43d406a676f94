// The residual of a Poisson equation, its restriction to every second cell, and its size for each problem.
export fn multigrid_restrict(u: f32[B, 2*H, 2*W], f: f32[B, 2*H, 2*W]) -> (coarse: f32[B, H, W], size: f32[B]) {
    let r[b, i, j] = f[b, i, j] - (4 * u[b, i, j] - pad(u[b, i - 1, j], 0) - pad(u[b, i + 1, j], 0) - pad(u[b, i, j - 1], 0) - pad(u[b, i, j + 1], 0));
    coarse[b, i, j] = 0.25 * sum[p in 0..2, q in 0..2](r[b, 2*i + p, 2*j + q]);
    size[b] = sqrt(mean[i, j](r[b, i, j] ** 2));
}
check multigrid_restrict(B = 3, H = 5, W = 7);
bench multigrid_restrict(B = 12, H = 400, W = 501);
