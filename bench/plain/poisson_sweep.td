// One sweep of Jacobi's method for a Poisson equation in a box, whose faces stay as they are, and the largest change.
export fn poisson_sweep(u: f32[D, H, W], f: f32[D, H, W]) -> (y: f32[D, H, W], change: f32[]) {
    y[k, i, j] = if k == 0 || k == D - 1 || i == 0 || i == H - 1 || j == 0 || j == W - 1 then u[k, i, j]
                 else (u[k - 1, i, j] + u[k + 1, i, j] + u[k, i - 1, j] + u[k, i + 1, j] + u[k, i, j - 1] + u[k, i, j + 1]
                       - f[k, i, j]) / 6;
    change[] = max[k, i, j](abs(y[k, i, j] - u[k, i, j]));
}
check poisson_sweep(D = 5, H = 7, W = 9);
bench poisson_sweep(D = 200, H = 240, W = 250);
