// A time step of particles in the unit box, which its walls throw back, and their kinetic energy.
export fn particle_walls(pos: f32[N, 3], vel: f32[N, 3], force: f32[N, 3], mass: f32[N], dt: f32)
        -> (p: f32[N, 3], v: f32[N, 3], energy: f32[]) {
    let w[n, a] = vel[n, a] + dt * force[n, a] / mass[n];
    let q[n, a] = pos[n, a] + dt * w[n, a];
    p[n, a] = if q[n, a] < 0 then -q[n, a] else if q[n, a] > 1 then 2 - q[n, a] else q[n, a];
    v[n, a] = if q[n, a] < 0 || q[n, a] > 1 then -w[n, a] else w[n, a];
    energy[] = 0.5 * sum[n, a](mass[n] * w[n, a] ** 2);
}
check particle_walls(N = 101, dt = 0.05) with pos in 0.0..1.0, mass in 0.5..2.0;
bench particle_walls(N = 2000003, dt = 0.05) with pos in 0.0..1.0, mass in 0.5..2.0;
