// Point clouds, centred and scaled into the unit sphere, with their boxes.
export fn cloud_unit_sphere(p: f32[B, N, 3]) -> (y: f32[B, N, 3], lo: f32[B, 3], hi: f32[B, 3]) {
    let c[b, a] = mean[n](p[b, n, a]);
    let r[b] = sqrt(max[n](sum[a]((p[b, n, a] - c[b, a]) ** 2)));
    y[b, n, a] = (p[b, n, a] - c[b, a]) / max(r[b], 1e-9);
    lo[b, a] = min[n](p[b, n, a]);
    hi[b, a] = max[n](p[b, n, a]);
}
check cloud_unit_sphere(B = 3, N = 101);
bench cloud_unit_sphere(B = 128, N = 20001);
