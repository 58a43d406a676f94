// An ensemble of Lorenz systems, one Runge-Kutta step of fourth order, and the ensemble's mean state.
fn lx(x, y, z) = 10 * (y - x);
fn ly(x, y, z) = x * (28 - z) - y;
fn lz(x, y, z) = x * y - 8.0 / 3.0 * z;
fn part(c, x, y, z) = if c == 0 then lx(x, y, z) else if c == 1 then ly(x, y, z) else lz(x, y, z);
export fn lorenz_rk4(s: f32[3, N], h: f32) -> (t: f32[3, N], mu: f32[3]) {
    let a[c in 3, n] = part(c, s[0, n], s[1, n], s[2, n]);
    let p[c in 3, n] = s[c, n] + 0.5 * h * a[c, n];
    let b[c in 3, n] = part(c, p[0, n], p[1, n], p[2, n]);
    let q[c in 3, n] = s[c, n] + 0.5 * h * b[c, n];
    let d[c in 3, n] = part(c, q[0, n], q[1, n], q[2, n]);
    let r[c in 3, n] = s[c, n] + h * d[c, n];
    t[c, n] = s[c, n] + h / 6 * (a[c, n] + 2 * b[c, n] + 2 * d[c, n] + part(c, r[0, n], r[1, n], r[2, n]));
    mu[c] = mean[n](t[c, n]);
}
check lorenz_rk4(N = 101, h = 0.01) with s ~ 10;
bench lorenz_rk4(N = 4000001, h = 0.01) with s ~ 10;
