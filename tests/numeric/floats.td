// Roundings and special values, exactly (docs/language.md 5.1 to 5.4, 5.6): every code of the narrow formats, casts of
// values beside and between them, integers rounded once, zeros, denormals, infinities, NaN.

// 2^e for -150 <= e <= 150, exact in f64
fn two(e) = if e >= 0 then (if e <= 60 then f64(1 << e) else if e <= 120 then f64(1 << 60) * f64(1 << (e - 60))
            else f64(1 << 60) * f64(1 << 60) * f64(1 << (e - 120))) else 1.0 / (if e >= -60 then f64(1 << -e) else
            if e >= -120 then f64(1 << 60) * f64(1 << (-e - 60)) else f64(1 << 60) * f64(1 << 60) * f64(1 << (-e - 120)));
// The value of a code with m bits after the point, whose exponents are biased by b; the sign is apart.
fn code(c, m, b) = if c >> m == 0 then f64(c) * two(1 - b - m) else f64((1 << m) + c % (1 << m)) * two((c >> m) - b - m);

// What a format holds goes through it and back unchanged.
export fn codes() -> (h: f16[31744], hb: f64[31744], b: bf16[32640], bb: f32[32640], p: f8e4m3[127], pb: f32[127], q: f8e5m2[124], qb: f32[124]) {
    h[i] = -code(i, 10, 15);
    hb[i] = f16(code(i, 10, 15));
    b[i] = -code(i, 7, 127);
    bb[i] = bf16(f32(code(i, 7, 127)));
    p[i] = -code(i, 3, 7);
    pb[i] = f8e4m3(f32(code(i, 3, 7)));
    q[i] = -code(i, 2, 15);
    qb[i] = f8e5m2(code(i, 2, 15));
}
check codes() tol 0.0;

// Between two codes: the middle, and what is a little to each side of it, as f32 and as f64.
fn near(c, k, m, b) = (code(c, m, b) + code(c + 1, m, b)) * 0.5 * (1.0 + f64(k - 2) * 0.00000023841858);
export fn between() -> (p: f8e4m3[127, 5], q: f8e5m2[124, 5], pd: f8e4m3[127, 5], qd: f8e5m2[124, 5], h: f16[31744, 5], hd: f16[31744, 5],
                        b: bf16[32640, 5], bd: bf16[32640, 5], far: f16[31744]) {
    p[i, k] = f32(near(i, k, 3, 7));
    q[i, k] = f32(near(i, k, 2, 15));
    pd[i, k] = f8e4m3(-near(i, k, 3, 7));
    qd[i, k] = f8e5m2(near(i, k, 2, 15));
    h[i, k] = f32(near(i, k, 10, 15));
    hd[i, k] = f16(near(i, k, 10, 15));
    b[i, k] = f32(near(i, k, 7, 127));
    bd[i, k] = bf16(near(i, k, 7, 127));
    far[i] = f16(near(i, 2, 10, 15) * (1.0 + 0.0000000000009));   // lost in f32, but not halfway
}
check between() tol 0.0;

// Densely, with what saturates or overflows.
export fn dense(step: f32) -> (p: f8e4m3[40, 512], q: f8e5m2[40, 512], pb: f32[40, 512], h: f16[40, 512], b: bf16[40, 512]) {
    let x[e in 40, k in 512] = f32((1.0 + f64(k) / 512.0 + f64(step)) * two(e - 20)) * (if k % 2 == 0 then 1.0 else -1.0);
    p[e, k] = x[e, k];
    q[e, k] = x[e, k];
    pb[e, k] = f8e4m3(x[e, k]);
    h[e, k] = x[e, k];
    b[e, k] = x[e, k];
}
check dense(step = 0.0) tol 0.0;
check dense(step = 0.000123) tol 0.0;

fn edge(i) = (1 << (i / 6)) * (if i / 3 % 2 == 0 then 1 else -1) + i % 6 - 3;
export fn from_ints(n: int) -> (d: f64[n], s: f32[n], h: f16[n], b: bf16[n], p: f8e4m3[n], q: f8e5m2[n], b32: bf16[n], bu: bf16[n], s32: f32[n],
                         tie: bf16[n], tie32: bf16[n]) {
    let a[i in n] = edge(i);
    d[i] = f64(a[i]);
    s[i] = f32(a[i]);
    h[i] = f16(a[i]);
    b[i] = bf16(a[i]);
    p[i] = f8e4m3(a[i]);
    q[i] = f8e5m2(i32(a[i]));
    b32[i] = bf16(i32(a[i]));
    bu[i] = bf16(u32(a[i]));
    s32[i] = f32(u32(a[i]));
    tie[i] = bf16((257 << (i / 8)) + i % 8 - 4);     // halfway between two values of bf16, and beside
    tie32[i] = bf16(i32((257 << (i / 20)) + i % 8 - 4));
}
check from_ints(n = 384) tol 0.0;

// To integers: fractions, ends of each type, infinities, NaN.
fn wild(i, j) = if i < 70 then two(i - 4) * (1.0 + f64(j) / 8.0) else if i == 70 then inf * f64(j + 1) else if i == 71 then f64(nan) else f64(j) - 0.5;
export fn to_ints() -> (a: i64[73, 8], b: i32[73, 8], c: i16[73, 8], d: i8[73, 8], e: u32[73, 8], f: u16[73, 8], g: u8[73, 8], h: i4[73, 8],
                        u: u4[73, 8], na: i64[73, 8], nb: i32[73, 8], nc: i8[73, 8], ne: u32[73, 8], nh: i4[73, 8], fa: i64[73, 8], fb: i32[73, 8],
                        fe: u32[73, 8]) {
    a[i, j] = i64(wild(i, j));
    b[i, j] = i32(wild(i, j));
    c[i, j] = i16(wild(i, j));
    d[i, j] = i8(wild(i, j));
    e[i, j] = u32(wild(i, j));
    f[i, j] = u16(wild(i, j));
    g[i, j] = u8(wild(i, j));
    h[i, j] = i4(wild(i, j));
    u[i, j] = u4(wild(i, j));
    na[i, j] = i64(-wild(i, j));
    nb[i, j] = i32(-wild(i, j));
    nc[i, j] = i8(-wild(i, j));
    ne[i, j] = u32(-wild(i, j));
    nh[i, j] = i4(-wild(i, j));
    fa[i, j] = i64(f32(-wild(i, j)));
    fb[i, j] = i32(f32(wild(i, j)));
    fe[i, j] = u32(f32(wild(i, j)));
}
check to_ints();

// Special values (5.8): 1 / the result shows the sign of a zero.
fn special(i) = if i == 0 then 0.0 else if i == 1 then -0.0 else if i == 2 then inf else if i == 3 then -inf else if i == 4 then f32(nan)
                else if i == 5 then 1.5 else if i == 6 then -1.5 else if i == 7 then f32(two(-149)) else if i == 8 then -f32(two(-140)) else f32(two(127));
export fn specials() -> (lo: f32[10, 10], hi: f32[10, 10], dlo: f64[10, 10], dhi: f64[10, 10], lt: bool[10, 10], le: bool[10, 10], eq: bool[10, 10],
                         ne: bool[10, 10], gt: bool[10, 10], add: f32[10, 10], mul: f32[10, 10], mod: f32[10, 10], one: f32[7, 10], test: bool[3, 10],
                         small: bf16[10], half: f16[10], p: f8e4m3[10], q: f8e5m2[10], top: f32[10], bot: f16[10], first: i64[10]) {
    lo[i, j] = 1.0 / min(special(i), special(j));
    hi[i, j] = 1.0 / max(special(i), special(j));
    dlo[i, j] = 1.0 / min(f64(special(i)), f64(special(j)));
    dhi[i, j] = 1.0 / max(f64(special(i)), f64(special(j)));
    lt[i, j] = special(i) < special(j);
    le[i, j] = special(i) <= special(j);
    eq[i, j] = special(i) == special(j);
    ne[i, j] = special(i) != special(j);
    gt[i, j] = special(i) > special(j);
    add[i, j] = special(i) + special(j);
    mul[i, j] = special(i) * special(j);
    mod[i, j] = special(i) % special(j);
    one[0, i] = 1.0 / abs(special(i));
    one[1, i] = 1.0 / sign(special(i));
    one[2, i] = 1.0 / floor(special(i));
    one[3, i] = 1.0 / round(special(i));
    one[4, i] = -special(i);
    one[5, i] = 1.0 / trunc(special(i));
    one[6, i] = sqrt(special(i));
    test[0, i] = isnan(special(i));
    test[1, i] = isinf(special(i));
    test[2, i] = isfinite(special(i));
    small[i] = special(i);
    half[i] = special(i);
    p[i] = special(i);
    q[i] = special(i);
    top[i] = max[j in 0..10](if j == i then -inf else special(j));
    bot[i] = min[j in 0..10 where j != 4](f16(special((i + j) % 10)));
    first[i] = argmax[j in 0..10 where j >= i](special(j));
}
check specials() tol 0.0;

// Denormals are kept on every way.
export fn denormals(n: int) -> (s: f32[n], t: f32[n], h: f16[n], hs: f32[], b: bf16[n], m: f32[]) {
    let x[i in n] = f32(f64(i) * two(-149));
    s[i] = x[i] * 3.0;
    t[i] = x[i] + x[n - 1 - i];
    h[i] = f16(f64(i) * two(-24)) * 0.5;
    hs[] = sum[i in 0..n](f16(f64(i % 9) * two(-24)));
    b[i] = bf16(f64(i) * two(-133)) * 2.0;
    m[] = max[i](-x[i] - f32(two(-149)));
}
check denormals(n = 100) tol 0.0;

// A declared type rounds once, between operations: 1 + 2^-11 is lost in f16, its double is not.
export fn between_ops(x: f32[N]) -> (y: f32[N], z: f32[N], w: f32[N], v: f32[N]) {
    let h: f16[i] = x[i] + 1.0;
    let b: bf16[i] = h[i] * h[i];
    let p: f8e4m3[i] = b[i] * 3.0;
    y[i] = h[i] - 1.0;
    z[i] = b[i] - h[i];
    w[i] = p[i] + b[i];
    v[i] = f32(f16(x[i])) * 2.0 - f32(bf16(f16(x[i])));
}
check between_ops(N = 300) tol 0.0;
