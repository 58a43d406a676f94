// Shallow water: height and two momenta, Lax and Friedrichs' step on a torus, and the fastest wave.
export fn shallow_water(q: f32[3, H, W], k: f32) -> (y: f32[3, H, W], speed: f32[]) {
    let f[c in 3, i, j] = if c == 0 then q[1, i, j] else if c == 1 then q[1, i, j] ** 2 / q[0, i, j] + 4.9 * q[0, i, j] ** 2
                     else q[1, i, j] * q[2, i, j] / q[0, i, j];
    let g[c in 3, i, j] = if c == 0 then q[2, i, j] else if c == 2 then q[2, i, j] ** 2 / q[0, i, j] + 4.9 * q[0, i, j] ** 2
                     else q[1, i, j] * q[2, i, j] / q[0, i, j];
    y[c, i, j] = 0.25 * (q[c, (i + 1) % H, j] + q[c, (i + H - 1) % H, j] + q[c, i, (j + 1) % W] + q[c, i, (j + W - 1) % W])
                 - k * (f[c, i, (j + 1) % W] - f[c, i, (j + W - 1) % W] + g[c, (i + 1) % H, j] - g[c, (i + H - 1) % H, j]);
    speed[] = max[i, j](sqrt(q[1, i, j] ** 2 + q[2, i, j] ** 2) / q[0, i, j] + sqrt(9.8 * q[0, i, j]));
}
check shallow_water(H = 7, W = 11, k = 0.01) with q in 0.5..1.5;
bench shallow_water(H = 1500, W = 2001, k = 0.01) with q in 0.5..1.5;
