// Chapters 1 to 3 of docs/language.md: text, types, dimensions and facts. Outputs `ok...` are true everywhere.
/* A comment over
   two lines: µ, 漢. */
import "./helpers.td";

/// Documents the item after it. // clause 1.1
export fn comments(x: f32[N]) -> (ok: bool[N]) { ok[i] = /* here */ x[i] == x[i]; }
check comments(N = 3);

// clause 1.2
export fn names(exp: i32[N], hint: i32[N], _with9: i32[_K], td_x: i32[N], v_with9: i32[N], tol: i32, _: i32) -> (ok: bool[N]) {
    require _K == N;
    let sum_[error] = exp[error] + hint[error] - td_x[error];
    let max[divisible] = tol * _with9[divisible] + v_with9[divisible];
    ok[i] = sum_[i] + max[i] + _ == exp[i] + hint[i] + tol * _with9[i] + v_with9[i] - td_x[i] + _;
}
check names(N = 4, _K = 4, tol = 5, _ = 2);

// clause 1.3
export fn literals(N: int) -> (ok_int: bool[N], ok_float: bool[N], ok_special: bool[N]) {
    ok_int[i] = 0x1F == 31 && 65_536 == 0x1_0000 && 9223372036854775807 > i;
    ok_float[i] = 1e3 == 1000.0 && 1_0.5e-1 == 1.05 && f64(2.5e3) == f64(2500.0);
    ok_special[i] = isinf(inf) && isnan(nan) && -inf < 0.0 && true && !false;
}
check literals(N = 2);

// clause 1.5: < compares
fn less<T, K: int = 2>(a: T, b: T) = a < b && K < 3;
export fn angle(a: f32[N], b: f32[N]) -> (ok: bool[N]) {
    ok[i] = less(a[i], b[i]) == (a[i] < b[i]) && (if a[i] > b[i] then b[i] < a[i] else true);
}
check angle(N = 9);

// clause 2.1, 2.2
export fn kinds(a: f64[N], b: f32[N], c: f16[N], d: bf16[N], e: f8e4m3[N], f: f8e5m2[N], g: i64[N], h: i32[N], k: i16[N],
                l: i8[N], m: i4[N], n: u32[N], o: u16[N], p: u8[N], q: u4[N], r: bool[N], z: f32[], v: f32)
    -> (ok: bool[N], ok_one: bool[], y: f64[N]) {
    y[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i];
    let ints[i] = g[i] + h[i] + k[i] + l[i] + m[i] + n[i] + o[i] + p[i] + q[i];
    ok[i] = (if r[i] then ints[i] - 1 else ints[i]) <= ints[i] && (y[i] == y[i]);
    ok_one[] = z[] + v == v + z[];
}
check kinds(N = 5, v = 0.25);

// clause 2.3
export fn packed(x: i4[N], u: u4[N]) -> (ok: bool[N], y: i4[N]) {
    y[i] = i4(x[i] + 1);
    ok[i] = x[i] >= -8 && x[i] < 8 && u[i] >= 0 && u[i] <= 15 && i4(x[i] + 16) == x[i];
}
check packed(N = 7);

// clause 2.4: sums of small types do not wrap, products of 16-bit floats are not rounded between
fn total<T>(x: T[N]) -> (s: acc(T)[]) { s[] = sum[n](x[n]); }
export fn wide(a: i8[N], b: bf16[N], c: bool[N], d: f64[N], e: u32[N]) -> (ok: bool[], ok_f: bool[], s: i32[], t: f32[], u: f64[], v: u32[]) {
    s = total(a);
    t = total(b);
    u = total(d);
    v = total(e);
    ok[] = sum[n in N](i8(100)) == 100 * N && sum[n](c[n]) <= N;
    ok_f[] = sum[n in 0..2](bf16(1.0) + bf16(0.001953125)) == 2.00390625;
}
check wide(N = 300);

// clause 2.5
fn last_sum(x: i32[B..., N]) -> (y: i32[B...]) { y[b...] = sum[n](x[b..., n]); }
fn first_sum(x: i32[N, B...]) -> (y: i32[B...]) { y[b...] = sum[n](x[n, b...]); }
export fn packs(x: i32[N], y: i32[P, N], z: i32[P, Q, N]) -> (ok0: bool[], ok1: bool[P], ok2: bool[P, Q], ok3: bool[Q, N]) {
    ok0[] = last_sum(x)[] == first_sum(x)[];
    ok1[p] = last_sum(y)[p] == sum[n](y[p, n]);
    ok2[p, q] = last_sum(z)[p, q] == sum[n](z[p, q, n]);
    ok3[q, n] = first_sum(z)[q, n] == sum[p](z[p, q, n]);
}
check packs(N = 3, P = 2, Q = 4);

// clause 3.1, 3.2
export fn dims(x: f32[8*K], off: i32[B + 1], w: f32[P, (P - 1)/2 + 1]) -> (ok: bool[], ok_each: bool[K], y: f32[2*K % 5 + 1]) {
    ok[] = sum[i in 0..8*K](1) == 8 * K && sum[i in 0..B + 1](1) == B + 1;
    ok_each[k] = x[8*k + 7] == x[k*8 + 7] && k < K;
    y[i] = f32(i);
}
check dims(K = 3, B = 4, P = 6);

// clause 3.3: the second use of a name must be equal, or be given
fn dot(a: f32[N], b: f32[N]) -> (y: f32[]) { y[] = sum[n](a[n] * b[n]); }
export fn twice_named(a: f32[N], b: f32[N], c: f32[M]) -> (ok: bool[]) {
    require M == N, "as long as a";
    ok[] = dot(a, b)[] == dot(b, a)[] && dot(a, c)[] == dot(c, a)[];
}
check twice_named(N = 3, M = 3);
check twice_named(N = 3, M = 4) error "as long as a";

// clause 3.4, 3.6
export fn by_value(x: f32[N], n: int) -> (ok: bool[n], y: f32[N - n]) {
    ok[i] = i < n && n <= N;
    y[i] = x[i + n];
}
check by_value(N = 7, n = 3);
check by_value(N = 7, n = 7);
check by_value(N = 0, n = 0);
check by_value(N = 7, n = 8) error "expected at least 0, got -1";
check by_value(N = 7, n = -1) error "n";

// clause 3.5
dim Q2 in 2..9 hint 4 divisible 2;
dim Q3 divisible 3 in 3..=9;
export fn constrained(x: f32[Q2], y: f32[Q3]) -> (ok: bool[]) { ok[] = Q2 >= 2 && Q2 < 9 && Q2 % 2 == 0 && Q3 <= 9 && Q3 % 3 == 0; }
check constrained(Q2 = 2, Q3 = 3);
check constrained(Q2 = 8, Q3 = 9);
check constrained(Q2 = 10, Q3 = 9) error "Q2";
check constrained(Q2 = 7, Q3 = 9) error "Q2";
check constrained(Q2 = 8, Q3 = 8) error "Q3";
check constrained(Q2 = 8, Q3 = 12) error "Q3";

// clause 3.7
fn halved(x: i32[2*R]) -> (y: i32[R]) { y[i] = x[i] + x[R + i]; }
export fn own_names(x: i32[4*R]) -> (ok: bool[R], y: i32[2*R]) {
    y = halved(x);
    ok[i] = y[i] == x[i] + x[2*R + i];
}
check own_names(R = 3);

// clause 3.8
require L1 < 90, "at the top";
export fn required(x: f32[L1], s: f32) -> (ok: bool[L1]) {
    require s > 0.0, "a positive scale";
    require L1 >= 2;
    ok[i] = x[0] == x[0] && x[1] == x[L1 - 1 - (L1 - 2)];
}
check required(L1 = 2, s = 1.0);
check required(L1 = 90, s = 1.0) error "at the top";
check required(L1 = 2, s = 0.0) error "a positive scale";
check required(L1 = 1, s = 1.0) error "L1";

// clause 3.9
export fn assumed(x: f32[N], t: i64[M]) -> (ok: bool[M]) {
    assume 0 <= t[m] && t[m] < N;
    ok[m] = x[t[m]] == x[t[m]];
}
check assumed(N = 3, M = 9);

assume K9 * 2 <= N9 && K9 >= 1;
export fn assumed_dims(x: f32[N9], t: i32[K9]) -> (ok: bool[K9]) { ok[i] = x[2*i + 1] == x[2*i + 1] && x[1] == x[1] && t[i] >= 0 && t[i] < N9; }
check assumed_dims(N9 = 7, K9 = 3) with t in 0..N9;

// clause 3.10
dim T1 in (1 + 1)..=(2 * 4) hint (4) divisible (1 + 1);
fn shifted(x: f32[N], by: f32 = -1.5, scale: f32 = (1.0 / 4)) -> (y: f32[N]) { y[i] = x[i] * scale + by; }
export fn headers(x: f32[T1]) -> (ok: bool[T1]) {
    let y: f32[i] = x[i] * 0.25 - 1.5;
    ok[i] = shifted(x)[i] == y[i];
}
check headers(T1 = 8);
check headers(T1 = 10) error "T1";
