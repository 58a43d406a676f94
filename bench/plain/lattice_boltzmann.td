// A step of the lattice Boltzmann method with nine velocities: populations move on, around the edges, then relax.
fn cx(q) = q % 3 - 1;
fn cy(q) = q / 3 - 1;
fn weight(c) = if c == 0 then 2.0 / 3.0 else 1.0 / 6.0;
export fn lattice_boltzmann(f: f32[9, H, W], omega: f32) -> (y: f32[9, H, W]) {
    let g[q, i in H, j in W] = f[q, (i - cy(q) + H) % H, (j - cx(q) + W) % W];
    let rho[i, j] = sum[q in 0..9](g[q, i, j]);
    let u[i, j] = sum[q in 0..9](f32(cx(q)) * g[q, i, j]) / rho[i, j];
    let v[i, j] = sum[q in 0..9](f32(cy(q)) * g[q, i, j]) / rho[i, j];
    let cu[q, i, j] = f32(cx(q)) * u[i, j] + f32(cy(q)) * v[i, j];
    let eq[q, i, j] = weight(cx(q)) * weight(cy(q)) * rho[i, j]
                      * (1 + 3 * cu[q, i, j] + 4.5 * cu[q, i, j] ** 2 - 1.5 * (u[i, j] ** 2 + v[i, j] ** 2));
    y[q, i, j] = g[q, i, j] + omega * (eq[q, i, j] - g[q, i, j]);
}
check lattice_boltzmann(H = 7, W = 9, omega = 1.2) with f in 0.05..0.2;
bench lattice_boltzmann(H = 1024, W = 1500, omega = 1.2) with f in 0.05..0.2;
