// Every element type through the example's readers and writers: what is assumed leaves one value.
export fn floats(a: f64[N], b: f32[N], c: f16[N], d: bf16[N], e: f8e4m3[N], f: f8e5m2[N])
    -> (ya: f64[N], yb: f32[N], yc: f16[N], yd: bf16[N], ye: f8e4m3[N], yf: f8e5m2[N]) {
    assume a[i] == -2.5 && b[i] == 0.1;
    assume c[i] == 0.0999755859375 && d[i] == -384.0;
    assume e[i] == 448.0 && f[i] == -0.0000152587890625;
    ya[i] = a[i]; yb[i] = b[i]; yc[i] = c[i]; yd[i] = d[i]; ye[i] = e[i]; yf[i] = f[i];
}
export fn whole(a: i64[N], b: i32[N], c: i16[N], d: i8[N], e: i4[N], f: u32[N], g: u16[N], h: u8[N], i: u4[N])
    -> (ya: i64[N], yb: i32[N], yc: i16[N], yd: i8[N], ye: i4[N], yf: u32[N], yg: u16[N], yh: u8[N], yi: u4[N]) {
    assume a[k] == -5000000000 && b[k] == -70000 && c[k] == -300 && d[k] == -128;
    assume e[k] == -8 && f[k] == 4000000000 && g[k] == 65535 && h[k] == 255 && i[k] == 15;
    ya[k] = a[k]; yb[k] = b[k]; yc[k] = c[k]; yd[k] = d[k]; ye[k] = e[k]; yf[k] = f[k]; yg[k] = g[k]; yh[k] = h[k]; yi[k] = i[k];
}
// Names that the example uses itself, indices that must be inside, a result in place, a workspace.
export fn place(x: f32[run, t], which: i32[run], inout sum: f32[run], on: bool[run], why: f32 = 0.5, a: i32 = 2) -> (y: f32[run], z: f32[]) {
    require 1 <= t, "a row has elements";
    assume 0 <= which[i] && which[i] < t;
    assume x[i, j] >= 1.0;
    assume x[i, j] <= 2.0;
    y[i] = if on[i] then x[i, which[i]] else why;
    sum[i] = sum[i] + f32(a) * x[i, 0];
    z[] = sum[i](x[i, 0]);
}
export fn rate(step: i64, base: f32) -> f32 = base * f32(step);
check place(run = 5, t = 4, why = 0.25, a = 3);
check floats(N = 3);
