// Three maps and two folds of rows.
export fn parts_alike(a: f32[L], b: f32[M], c: f32[N], u: f32[R, 512], v: f32[S, 512], two: f32, three: f32)
    -> (x: f32[L], y: f32[M], z: f32[N], s: f32[R], t: f32[S]) {
    require L % 128 == 0;
    x[i] = two * a[i];
    y[i] = two * b[i];
    z[i] = three * c[i];
    s[r] = sum[k](u[r, k] * u[r, k]);
    t[r] = sum[k](v[r, k] * v[r, k]);
}
check parts_alike(L = 256, M = 300, N = 77, R = 3, S = 5, two = 2.0, three = 3.0);
check parts_alike(L = 128, M = 1, N = 0, R = 0, S = 1, two = 2.0, three = 3.0);
check parts_alike(L = 0, M = 0, N = 129, R = 1, S = 0, two = 2.0, three = 3.0);
check parts_alike(L = 0, M = 0, N = 0, R = 0, S = 0, two = 2.0, three = 3.0);
