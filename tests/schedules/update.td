// Updates in place: old values are read by others first, or moved aside.
export fn update(inout p: f32[N], inout m: f32[N], g: f32[N], x: f32[M, N], inout a: f32[N], inout b: f32[N]) -> (s: f32[N]) {
    p[i] = p[i] - 0.1 * m[i];
    m[i] = 0.9 * m[i] + sum[k](x[k, i]);
    s[i] = p[i] + g[i];
    a[i] = b[i] + 1;
    b[i] = a[i] * 2;
}
check update(M = 5, N = 37);
check update(M = 1, N = 1);
check update(M = 2, N = 64);
