// A tensor of every type that C has no name for, and of some that it has; and an entry to call.
export fn all(h: f16[N], x: bf16[N], p: f8e4m3[N], q: f8e5m2[N], i: i4[N], flag: bool[N], inout w: i8[N]) -> (y: f64[N]) {
    w[n] = i8(flag[n]);
    y[n] = f64(f32(h[n]) + f32(x[n]) + f32(p[n]) + f32(q[n])) + f64(i[n]);
}
export fn twice(x: bf16[N]) -> (y: bf16[N]) { y[n] = 2 * x[n]; }
