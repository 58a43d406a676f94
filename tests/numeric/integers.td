// Integers without exceptions: all wrap, a quotient or remainder by 0 is 0, shifts by counts outside the width shift
// everything out (docs/language.md 5.7). 8 and 4 bits over all pairs, 32 and 64 bits over the neighbours of powers of two.
fn byte(i) = i8(i - 128);
fn ubyte(i) = u8(i);

export fn i8_pairs() -> (add: i8[256, 256], sub: i8[256, 256], mul: i8[256, 256], quo: i8[256, 256], rem: i8[256, 256],
                         shl: i8[256, 256], shr: i8[256, 256], lo: i8[256, 256], hi: i8[256, 256], bits: i8[256, 256],
                         less: bool[256, 256], one: i8[256], wide: i32[256, 256]) {
    add[i, j] = i8(byte(i) + byte(j));
    sub[i, j] = i8(byte(i) - byte(j));
    mul[i, j] = i8(byte(i) * byte(j));
    quo[i, j] = i8(byte(i) / byte(j));
    rem[i, j] = i8(byte(i) % byte(j));
    shl[i, j] = i8(byte(i) << byte(j));
    shr[i, j] = i8(byte(i) >> byte(j));
    lo[i, j] = i8(min(byte(i), byte(j)));
    hi[i, j] = i8(max(byte(i), byte(j)));
    bits[i, j] = i8((byte(i) & byte(j)) ^ (byte(i) | 5));
    less[i, j] = byte(i) < byte(j) || byte(i) == -byte(j);
    one[i] = i8(abs(byte(i)) - sign(byte(i)) * 2);
    wide[i, j] = byte(i) * ubyte(j) - ubyte(i) / byte(j) + (ubyte(j) % byte(i)) * 256;
}
check i8_pairs();

fn nibble(i) = i4(i - 8);
export fn i4_pairs() -> (add: i4[16, 16], mul: u4[16, 16], quo: i4[16, 16], shr: u4[16, 16], wrap: i4[256], uwrap: u4[256], less: bool[16, 16]) {
    add[i, j] = i4(nibble(i) + u4(j));
    mul[i, j] = u4(nibble(i) * nibble(j));
    quo[i, j] = i4(nibble(i) / u4(j));
    shr[i, j] = u4(u4(i) >> nibble(j));
    wrap[i] = i4(byte(i));
    uwrap[i] = u4(byte(i));
    less[i, j] = nibble(i) < u4(j);
}
check i4_pairs();

// -2^k - 3 .. 2^k + 2, wrapped
fn edge(i) = (1 << (i / 6)) * (if i / 3 % 2 == 0 then 1 else -1) + i % 6 - 3;

export fn i32_pairs(n: int) -> (add: i32[n, n], sub: i32[n, n], mul: i32[n, n], quo: i32[n, n], rem: i32[n, n], shl: i32[n, n],
                         shr: i32[n, n], lo: i32[n, n], hi: i32[n, n], less: bool[n, n], one: i32[n], wide: i64[n, n],
                         small: i16[n, n]) {
    let a[i in n] = i32(edge(i));
    add[i, j] = a[i] + a[j];
    sub[i, j] = a[i] - a[j];
    mul[i, j] = a[i] * a[j];
    quo[i, j] = a[i] / a[j];
    rem[i, j] = a[i] % a[j];
    shl[i, j] = a[i] << a[j];
    shr[i, j] = a[i] >> (a[j] % 40);
    lo[i, j] = min(a[i], a[j]);
    hi[i, j] = max(-a[i], a[j]);
    less[i, j] = a[i] < a[j];
    one[i] = abs(a[i]) ^ -a[i] + sign(a[i]);
    wide[i, j] = i64(a[i]) * i64(a[j]) + i64(a[i] * a[j]);
    small[i, j] = i16(u16(a[i]) * i16(a[j]));
}
check i32_pairs(n = 200);

export fn i64_pairs(n: int) -> (add: i64[n, n], sub: i64[n, n], mul: i64[n, n], quo: i64[n, n], rem: i64[n, n], shl: i64[n, n],
                         shr: i64[n, n], lo: i64[n, n], hi: i64[n, n], less: bool[n, n], one: i64[n], cut: i32[n], ucut: u32[n]) {
    let a[i in n] = edge(2 * i + 1);
    add[i, j] = a[i] + a[j];
    sub[i, j] = a[i] - a[j];
    mul[i, j] = a[i] * a[j];
    quo[i, j] = a[i] / a[j];
    rem[i, j] = a[i] % a[j];
    shl[i, j] = a[i] << a[j];
    shr[i, j] = a[i] >> (a[j] % 70);
    lo[i, j] = min(a[i], a[j]);
    hi[i, j] = max(-a[i], a[j]);
    less[i, j] = a[i] >= a[j];
    one[i] = abs(a[i]) ^ -a[i] + sign(a[i]);
    cut[i] = i32(a[i]);
    ucut[i] = u32(a[i]);
}
check i64_pairs(n = 196); // check-all

export fn u32_pairs(n: int) -> (add: u32[n, n], sub: u32[n, n], mul: u32[n, n], quo: u32[n, n], rem: u32[n, n], shl: u32[n, n],
                         shr: u32[n, n], lo: u32[n, n], hi: u32[n, n], less: bool[n, n], one: u32[n], to: i32[n], short: u16[n]) {
    let a[i in n] = u32(edge(i));
    add[i, j] = a[i] + a[j];
    sub[i, j] = a[i] - a[j];
    mul[i, j] = a[i] * a[j];
    quo[i, j] = a[i] / a[j];
    rem[i, j] = a[i] % a[j];
    shl[i, j] = a[i] << (a[j] % 40);
    shr[i, j] = a[i] >> (a[j] % 40);
    lo[i, j] = min(a[i], a[j]);
    hi[i, j] = max(a[i], a[j]);
    less[i, j] = a[i] < a[j];
    one[i] = abs(a[i]) + sign(a[i]) - -a[i];
    to[i] = i32(a[i]) >> 1;
    short[i] = u16(a[i]);
}
check u32_pairs(n = 200); // check-all

// Sums and products wrap, whatever their order.
export fn folds(x: i8[N], y: u32[N]) -> (s: i32[], p: i32[], s64: i64[], p64: i64[], u: u32[], m: i32[], w: u32[], run: i32[N]) {
    s[] = sum[i](i32(x[i]) * 100000007);
    p[] = prod[i](x[i] * 2 + 1);
    s64[] = sum[i](i64(x[i]) << 58);
    p64[] = prod[i](i64(x[i]) * 2 + 1);
    u[] = sum[i](y[i] * 1000000007);
    m[] = max[i](x[i] - 200);
    w[] = min[i](y[i] - 3);
    run[j] = sum[i where i <= j](x[i] * 123456789);
}
check folds(N = 1000) with x in -128..128;
check folds(N = 0);
check folds(N = 1);

export fn bools(a: bool[N], b: bool[N]) -> (s: i32[N], t: i32[N], f: f32[N], e: bool[N], o: bool[N], l: bool[N], c: i32[], u: u8[N]) {
    s[i] = a[i] + b[i];
    t[i] = a[i] - 2 * b[i];
    f[i] = f32(a[i]) * 0.5 - f32(b[i]);
    e[i] = a[i] == b[i];
    o[i] = a[i] && !b[i] || b[i] != a[i];
    l[i] = s[i] > 1 || f[i] < 0.0;
    c[] = sum[i](a[i]);
    u[i] = u8(u8(a[i]) + u8(b[i]));
}
check bools(N = 77);

// Quotients in quotients, about which proofs end though nothing is proved.
export fn nested(a: u8[N], b: i64[], c: i64[N, N], d: i64[], e: u32[M, N]) -> (y: f32[N]) {
    y[i] = f32(i64(i32(a[max(i - 1, 0)] < 1)) < (b[] / (abs((i64(pad(e[1, i], 3)) / (abs((c[i, i] * d[]) % 5) + 1)) % 5) + 1)));
}
check nested(N = 5, M = 3);
check nested(N = 4, M = 1);
// A quotient of literals stays in its type where indices are 64-bit.
export fn literal_quotient(x: i32[M, N]) -> (y: i32[M]) { y[i] = max[j in 0..M*N](if j < N then x[i, j] else i32(-1) / 3); }
check literal_quotient(M = 4, N = 2);
