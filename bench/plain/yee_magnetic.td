// Half a step of Yee's scheme: the magnetic field on the edges of a grid from the electric one at its nodes.
export fn yee_magnetic(ez: f32[H + 1, W + 1], inout hx: f32[H + 1, W], inout hy: f32[H, W + 1], s: f32) -> (total: f32[]) {
    hx[i, j] = hx[i, j] - s * (ez[i, j + 1] - ez[i, j]);
    hy[i, j] = hy[i, j] + s * (ez[i + 1, j] - ez[i, j]);
    total[] = sum[i, j](new(hx)[i, j] ** 2) + sum[i, j](new(hy)[i, j] ** 2);
}
check yee_magnetic(H = 9, W = 13, s = 0.5);
bench yee_magnetic(H = 2500, W = 2999, s = 0.5);
