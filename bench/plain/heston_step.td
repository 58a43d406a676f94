// One step of Heston's model for paths of several assets, in place, with what each asset is worth on average.
export fn heston_step(inout s: f32[P, A], inout v: f32[P, A], z: f16[2, P, A], rho: f32[A], dt: f32) -> (mu: f32[A], least: f32[]) {
    let vol[p, a] = sqrt(max(v[p, a], 0) * dt);
    let w[p, a] = rho[a] * z[0, p, a] + sqrt(1 - rho[a] ** 2) * z[1, p, a];
    v[p, a] = v[p, a] + 1.5 * (0.04 - max(v[p, a], 0)) * dt + 0.3 * vol[p, a] * w[p, a];
    s[p, a] = s[p, a] * exp(-0.5 * max(v[p, a], 0) * dt + vol[p, a] * z[0, p, a]);
    mu[a] = mean[p](new(s)[p, a]);
    least[] = min[p, a](new(s)[p, a]);
}
check heston_step(P = 101, A = 7, dt = 0.01) with s in 80.0..120.0, v in 0.0..0.1, rho in -0.9..0.9;
bench heston_step(P = 1000003, A = 9, dt = 0.01) with s in 80.0..120.0, v in 0.0..0.1, rho in -0.9..0.9;
