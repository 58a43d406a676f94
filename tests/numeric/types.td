// Types and reductions that the samples do not have: bool, f64, 8- and 16-bit integers, u32; scans in both directions.
export fn anyall(x: f32[M, N]) -> (a: bool[M], b: bool[M], c: i32[M]) {
    a[i] = any[j](x[i, j] > 1.0);
    b[i] = all[j](x[i, j] < 2.0);
    c[i] = sum[j](x[i, j] > 0.0);
}
check anyall(M = 5, N = 37);
check anyall(M = 3, N = 1);
check anyall(M = 130, N = 1000);
check anyall(M = 70001, N = 1);

export fn dbl(x: f64[M, N]) -> (y: f64[M, N], p: f64[M], q: i64[M]) {
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp(x[i, j] - m[i]));
    y[i, j] = exp(x[i, j] - m[i]) / s[i];
    p[i] = prod[j](1.0 + x[i, j] * 0.01);
    q[i] = argmin[j](x[i, j]);
}
check dbl(M = 5, N = 37);
check dbl(M = 33, N = 300);

export fn ints(x: i8[M, N], u: u8[M, N], w: i16[N]) -> (s: i32[M], m: i32[M], t: i64[N], v: u8[M, N]) {
    s[i] = sum[j](x[i, j] * w[j]);
    m[i] = max[j](x[i, j] / 3 + u[i, j] % 5);
    t[j] = sum[i](i64(x[i, j]) * i64(u[i, j]));
    v[i, j] = u8((u[i, j] & 7) << 2 | (x[i, j] >> 1));
}
check ints(M = 7, N = 19);
check ints(M = 65, N = 130);

export fn mixed(x: f16[M, N], b: bool[M, N], k: u32[N]) -> (y: f16[M, N], z: u32[N]) {
    y[i, j] = if b[i, j] then x[i, j] else -x[i, j];
    z[j] = k[j] * 3 + (k[j] >> 3) ^ k[j];
}
check mixed(M = 7, N = 19);
check mixed(M = 0, N = 19);
check mixed(M = 64, N = 256);

export fn revscan(x: f32[M, N]) -> (y: f32[M, N], z: f32[M, N]) {
    y[i, j] = sum[k where k >= j](x[i, k]);
    z[i, j] = max[k where k < j](x[i, k]);
}
check revscan(M = 3, N = 1000);
check revscan(M = 3, N = 1);

// Scalars of all types; a narrow float is rounded to its type.
export fn scalars(x: f32[N], a: f16, b: bf16, c: i8, d: u16, e: i64, f: bool, g: f8e4m3, h: u4, k: f64) -> (y: f32[N], z: i64[N], w: f64[N], v: f32[N]) {
    y[i] = a + x[i] * 0.0;
    v[i] = b + f32(c) + f32(d) + g + x[i] * 0.0;
    z[i] = if f then e + i64(h) else e;
    w[i] = k;
}
check scalars(N = 5, a = 0.1, b = 0.1, c = -3, d = 60000, e = 1234567890123, f = 1, g = 0.3, h = 9, k = 0.1) tol 1e-7;
check scalars(N = 5, a = 0.3333, b = 7.77, c = 100, d = 6, e = -1234567890123, f = 0, g = 1000.0, h = 15, k = 0.7) tol 1e-7;

// Literals under a reduction take the type of what the reduction meets.
export fn literals(seg: i32[N], x: f32[N]) -> (y: i32[S], z: f32[S], u: u8[S], ok: bool[S], w: f16[S], k: f64[S], q: bf16[]) {
    let c: i32[s in S] = sum[i where seg[i] == s](1);
    let d[s in S] = sum[i where seg[i] == s](1);
    let e[s in S] = sum[i where seg[i] == s](1) + 2;
    let h[s in S] = max[i where seg[i] == s](0.5) * 2.0;
    y[s] = c[s] + 1 - sum[i where seg[i] == s](if x[i] > 0 then 1 else -1) * 2;
    z[s] = pad(x[0], 0.0) * sum[i where seg[i] == s](1) + sum[i where x[i] > pad(x[0], 0.0)](1);
    u[s] = sum[j in 0..4 where j < s](1);
    ok[s] = c[s] == d[s] && d[s] + 2 == e[s] && sum[i where seg[i] == s](1) == d[s] && sum[i where seg[i] == s](1) > 2;
    w[s] = sum[i where seg[i] == s](0.5) + h[s];
    k[s] = sum[i where seg[i] == s](0.1) + sum[a in 0..2, b in 0..3 where a < b && b < s](1) / 2.0;
    q[] = mean[i in 0..3](1.0) + 2 * sum[m in 0..3](1);
}
check literals(N = 30, S = 4) with seg in 0..4;

/// A narrow float has all digits of an integer of 8 bits, and not of one of 16.
export fn small_ints(q: i8[N], u: u8[N], h: i16[N]) -> (a: f32[N], b: f32[N], c: f32[N], d: f32[N], e: f32[N], f: f32[N]) {
    a[i] = f32(f16(q[i])) * 3;
    b[i] = f32(bf16(q[i])) * 3;
    c[i] = f32(bf16(u[i])) * 3;
    d[i] = f32(f16(i32(u[i]) * 9)) * 3;
    e[i] = f32(bf16(h[i])) * 3;
    f[i] = f32(f16(h[i])) * 3;
}
check small_ints(N = 300) with q in -128..128, u in 0..256, h in -32768..32768 tol 0;
