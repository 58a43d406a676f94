// One explicit step of the heat equation, zero around.
export fn heat_step(u: f32[H, W]) -> (y: f32[H, W]) {
    y[i, j] = u[i, j] + 0.1 * (pad(u[i - 1, j], 0) + pad(u[i + 1, j], 0) + pad(u[i, j - 1], 0) + pad(u[i, j + 1], 0)
                               - 4 * u[i, j]);
}
check heat_step(H = 13, W = 17);
bench heat_step(H = 5000, W = 5003);
