// Burgers' equation on rings, one explicit step in flux form, and how near each ring is to instability.
export fn burgers_rows(u: f32[M, N], dt: f32, dx: f32) -> (y: f32[M, N], courant: f32[M]) {
    let flux[i, j] = 0.5 * u[i, j] ** 2 - 0.05 * (u[i, (j + 1) % N] - u[i, j]) / dx;
    y[i, j] = u[i, j] - dt / dx * (flux[i, j] - flux[i, (j - 1 + N) % N]);
    courant[i] = max[j](abs(u[i, j])) * dt / dx;
}
check burgers_rows(M = 5, N = 37, dt = 0.01, dx = 0.1);
bench burgers_rows(M = 2048, N = 8191, dt = 0.01, dx = 0.1);
