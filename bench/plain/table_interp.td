// A table over 0 to 1, looked up with a cubic through four neighbours (Catmull and Rom).
export fn table_interp(x: f32[N], t: f32[T]) -> (y: f32[N]) {
    require T >= 4, "four entries at least";
    let p[n] = x[n] * (T - 1);
    let i[n] = clamp(i32(floor(p[n])), 1, T - 3);
    let f[n] = p[n] - f32(i[n]);
    let a[n] = t[i[n] - 1];
    let b[n] = t[i[n]];
    let c[n] = t[i[n] + 1];
    let d[n] = t[i[n] + 2];
    y[n] = b[n] + 0.5 * f[n] * (c[n] - a[n] + f[n] * (2 * a[n] - 5 * b[n] + 4 * c[n] - d[n]
                                                      + f[n] * (3 * (b[n] - c[n]) + d[n] - a[n])));
}
check table_interp(N = 501, T = 37) with x in 0.0..1.0;
bench table_interp(N = 16000001, T = 1024) with x in 0.0..1.0;
