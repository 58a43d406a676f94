// Chapter 5 of docs/language.md: lets, outputs, pieces, updates.

// clause 5.1: bf16 has 8 bits: 1 + 1/256 is no bf16, its square is not that of 1
export fn rounded(x: f32[N]) -> (ok: bool[N], ok_not: bool[N]) {
    let a: bf16[i in N] = 1.00390625 + 0 * i;
    let b[i in N] = 1.00390625 + 0 * i;
    ok[i] = a[i] == 1.0 && a[i] * a[i] == 1.0;
    ok_not[i] = b[i] == 1.00390625 && b[i] * b[i] > 1.0078;
}
check rounded(N = 3);

// clause 5.2, 5.3
fn doubled(x: i32[N]) -> (y: i32[N]) { y[i] = 2 * x[i]; }
export fn forms(inout p: i32[N], x: i32[N]) -> (ok: bool[N], loss: i32[], y: i32[N], w: i32[M]) {
    let t[i in N - 1] = x[i + 1] - x[i];
    let u[i in 0..N - 1] = x[i + 1] - x[i];
    y = doubled(x);
    loss[] = sum[i](t[i]);
    p[i] = x[i];
    w[i in M] = 7;
    ok[i] = new(p)[i] == x[i] && loss[] == x[N - 1] - x[0] && y[i] == 2 * x[i] && (if i >= 1 then u[i - 1] == t[i - 1] else true);
    require N >= 1;
}
check forms(N = 5, M = 2);

// clause 5.4, 5.5
export fn pieces(a: i32[N], b: i32[N], inout c: i32[T, N], pos: int) -> (ok: bool[N], y: i32[2*N], t: i32[N, 2], z: i32[N]) {
    require pos < T;
    y[2*i] = a[i];
    y[2*i + 1] = b[i];
    t[i, 0] = a[i];
    t[i, 1] = if i == 0 then 100 else b[i];
    c[pos, d] = a[d];
    z[i] = a[i] where i <= pos;
    z[i] = -1 where i > pos;
    ok[i] = y[2*i] == a[i] && y[2*i + 1] == b[i] && t[i, 0] == a[i] && t[i, 1] == (if i == 0 then 100 else b[i])
        && new(c)[pos, i] == a[i] && all[s in T](s == pos || new(c)[s, i] == c[s, i]) && z[i] == (if i <= pos then a[i] else -1);
}
check pieces(N = 6, T = 3, pos = 1);

// clause 5.3, 5.4, 8.3: ranges inside sums on the left, and of packs
fn twice<T>(x: T[B..., N]) -> (y: T[B..., N]) {
    let two: T[b... in B, n in N] = 2;
    y[b... in B, n] = two[b..., n] * x[b..., n];
}
export fn left_ranges(a: i32[P], b: i32[4], m: i32[M, K]) -> (ok: bool[P], okm: bool[M, K], y: i32[P + 4], z: i32[M*K], w: i32[3*M], q: i32[M, K]) {
    y[4 + j in P] = a[j];
    y[j in 0..4] = b[j];
    z[K*i + j in 0..K] = m[i, j];
    w[3*i + j in 1..3] = i32(j);
    w[3*i] = 7;
    let one: i32[c... in [M, K]] = 1;
    q[c... in [M, K]] = twice(m)[c...] + one[c...];
    ok[j] = y[4 + j] == a[j] && all[k in 0..4](y[k] == b[k]) && all[i in 3*M](w[i] == (if i % 3 == 0 then 7 else i % 3));
    okm[i, j] = z[i*K + j] == m[i, j] && q[i, j] == 2*m[i, j] + 1;
}
check left_ranges(P = 3, M = 2, K = 5);
check left_ranges(P = 0, M = 0, K = 1);
export fn rows(x: i32[M, K], inout y: i32[M*L]) -> (ok: bool[M, K], z: i32[M*K]) {
    require 0 < K && K <= L;
    z[K*i + j in 1..K] = x[i, j];
    z[K*i] = -x[i, 0];
    y[L*i + j in K] = x[i, j];
    ok[i, j] = z[K*i + j] == (if j > 0 then x[i, j] else -x[i, j]) && new(y)[i*L + j] == x[i, j]
        && (if j + K < L then new(y)[i*L + j + K] == y[i*L + j + K] else true);
}
check rows(M = 3, K = 4, L = 6);
check rows(M = 1, K = 1, L = 1);

// clause 5.7, 5.8
export fn accumulates(inout c: i32[N], inout d: i32[N], x: i32[N], ids: i32[M], v: i32[M])
    -> (ok: bool[N], g: i32[N], h: i32[N], most: i32[N], p: i32[N]) {
    assume 0 <= ids[m] && ids[m] < N;
    c[i] += x[i];
    d[i] max= x[i];
    g[ids[m]] += v[m];
    h[ids[m]] += v[m];
    h[i] += x[i];
    h[0] += 1000 where N > 2;
    most[ids[m]] max= v[m];
    p[ids[m]] *= v[m];
    ok[i] = new(c)[i] == c[i] + x[i] && new(d)[i] == max(d[i], x[i]) && g[i] == sum[m where ids[m] == i](v[m])
        && h[i] == g[i] + x[i] + (if i == 0 && N > 2 then 1000 else 0) && most[i] == max[m where ids[m] == i](v[m])
        && p[i] == prod[m where ids[m] == i](v[m]);
}
check accumulates(N = 5, M = 17);
check accumulates(N = 2, M = 3);

// clause 5.7: in f32, and rounded once. 1 + 256 times 1/256 is 2; rounded to bf16 each time it stays 1
export fn once(inout w: bf16[1], x: f32[M]) -> (ok: bool[], s: bf16[1]) {
    w[0 * m] += 0.00390625 + 0 * x[m];
    s[0 * m] += 0.00390625 + 0 * x[m];
    require M == 256;
    ok[] = s[0] == 1 && bf16(1 + 0.00390625) == 1 && abs(f32(new(w)[0]) - w[0] - 1) <= abs(f32(w[0]) + 1) / 256;
}
check once(M = 256) with w in 0..1;

// clause 5.9: floats in an order of their own, the same one every time (each check runs three times)
export fn ordered(x: f32[M], ids: i32[M]) -> (y: f32[N], ok: bool[]) {
    assume 0 <= ids[m] && ids[m] < N;
    y[ids[m]] += x[m];
    ok[] = M >= 0;
}
check ordered(M = 1000, N = 3);

// clause 5.10
export fn old_and_new(inout p: i32[N], inout q: bf16[N], x: f32[N]) -> (ok: bool[N], y: bf16[N]) {
    p[i] = 2 * p[i] + p[N - 1 - i];
    q[i] = x[i];
    y[i] = x[i];
    let n = new(p);
    let r: bf16[i] = x[i];
    ok[i] = n[i] == 2 * p[i] + p[N - 1 - i] && y[i] == r[i] && new(q)[i] == r[i];
}
check old_and_new(N = 7);

// clause 5.7: updates of integers narrower than their arithmetic keep the low bits, in place, at data's places, by max.
export fn narrow_updates(inout w: i8[N], flag: bool[N], d: i8[N], id: i32[K], e: u8[K], u: u16[N])
    -> (c: u8[N], m: i16[N], s: u32[N], ok: bool[N]) {
    assume 0 <= id[k] && id[k] < N;
    w[n] += i8(flag[n]);
    c[id[k]] += e[k];
    m[n] max= d[n];
    s[n] += u[n];
    let all[n] = sum[k where id[k] == n](i32(e[k]));
    ok[n] = new(w)[n] == i8(w[n] + (if flag[n] then 1 else 0)) && c[n] == u8(all[n]) && m[n] == d[n] && s[n] == u32(u[n]);
}
check narrow_updates(N = 3, K = 900);

// clause 5.13: the last of the values that meet counts, elsewhere the other equations or the old value
export fn scattered(x: i32[A, B], at: i32[A, B], inout old: i32[V], inout kept: i16[V]) -> (ok: bool[V], y: i32[V], z: i32[V]) {
    assume 0 <= at[a, b] && at[a, b] < V;
    y[at[a, b]] = x[a, b];
    y[i] = -100;
    z[2*i + 1] = i32(i);
    z[at[a, b]] = x[a, b] where x[a, b] > 0;
    z[2*i] = i32(-i);
    old[at[a, b]] = old[at[a, b]] + x[a, b];
    kept[at[a, b]] = i16(a);
    let last[v] = max[a, b where at[a, b] == v](a * B + b);
    let some[v] = max[a, b where at[a, b] == v && x[a, b] > 0](a * B + b);
    let want[v] = if last[v] < 0 then -100 else pad(x[last[v] / B, last[v] % B], 0);
    let other[v] = if v % 2 == 0 then -(v / 2) else v / 2;
    let named[v] = if some[v] < 0 then other[v] else i64(pad(x[some[v] / B, some[v] % B], 0));
    let changed[v] = if last[v] < 0 then old[v] else old[v] + pad(x[last[v] / B, last[v] % B], 0);
    let row[v] = if last[v] < 0 then kept[v] else i16(last[v] / B);
    ok[v] = y[v] == want[v] && z[v] == named[v] && new(old)[v] == changed[v] && new(kept)[v] == row[v];
    require V % 2 == 0;
}
check scattered(A = 9, B = 5, V = 20);
check scattered(A = 9, B = 0, V = 20);
check scattered(A = 1, B = 300, V = 2);
