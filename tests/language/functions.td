// Chapter 4 of docs/language.md: functions, parameters known when compiling, composite reductions, imports.
import "./helpers.td";

// clause 4.12
export fn early(x: i32[N]) -> (ok: bool[N]) {
    ok[i] = b[i] == 2 * x[i] + 2;
    let b[i] = a[i] + later(x[i]);
    let a[i] = x[i] + 1;
}
fn later(x) = x + 1;
check early(N = 3);

// clause 4.1
fn any_type(x) = x * x;
fn of_f32(x: f32) -> f32 = x;
fn with_body(x, y: f32) { let a = x + y; let b: bf16 = a * 2; return if b > 0 then b else -b; }
export fn scalars(h: f16[N], k: i32[N], d: f64[N]) -> (ok: bool[N]) {
    let r: bf16[i] = (h[i] + 1.0) * 2;
    ok[i] = any_type(k[i]) == k[i] * k[i] && any_type(d[i]) == d[i] * d[i] && of_f32(h[i]) == h[i] && with_body(h[i], 1.0) == abs(r[i]);
}
check scalars(N = 9);

fn at(x: i32[N], i: int, k: i32) = x[i] + k;
fn width(x, y) { let (a, b) = (min(x, y), max(x, y)); return b - a; }
export fn bodies(x: i32[N], y: i32[N]) -> (ok: bool[N]) {
    ok[i] = at(x, i, 3) == x[i] + 3 && width(x[i], y[i]) == abs(x[i] - y[i]);
}
check bodies(N = 9);

// clause 4.2, 4.3
fn negated_twice(x: i32[N]) -> (y: i32[N]) = negated(negated(x));
export fn by_equation(x: i32[N]) -> (ok: bool[N]) { ok[i] = negated_twice(x)[i] == x[i]; }
check by_equation(N = 3);
fn sums(x: i32[M, N]) -> (rows: i32[M], all_of_it: i32[]) {
    rows[i] = sum[j](x[i, j]);
    all_of_it[] = sum[i](rows[i]);
}
fn flipped(x: i32[M, N]) -> (y: i32[N, M]) { y[j, i] = x[i, j]; }
fn negated(x: i32[B...]) -> (y: i32[B...]) { y[b...] = -x[b...]; }
export fn calls(x: i32[M, N]) -> (ok: bool[M, N], ok_sum: bool[M], z: i32[N, M]) {
    let t = flipped(x);
    let (r, _) = sums(x);
    let (_, s) = sums(flipped(x));
    z = negated(t);
    ok[i, j] = flipped(negated(flipped(x)))[i, j] == -x[i, j] && z[j, i] == -x[i, j] && t[j, i] == x[i, j];
    ok_sum[i] = r[i] == sum[j](x[i, j]) && s[] == sum[k, j](x[k, j]);
}
check calls(M = 3, N = 5);

// clause 4.4
export fn slices(w: i32[L, M, N], at: int) -> (ok: bool[N, M], ok_row: bool[N]) {
    require L >= 2 && at < L && M >= 1;
    ok[j, i] = flipped(w[1, ...])[j, i] == w[1, i, j] && flipped(w[at, ...])[j, i] == w[at, i, j];
    ok_row[j] = negated(w[at, 0, ...])[j] == -w[at, 0, j];
}
check slices(L = 2, M = 3, N = 4, at = 1);

fn less_most(x: i32[N]) -> (y: i32[N]) { let m[] = max[n](x[n]); y[n] = x[n] - m[]; }
export fn each_row(x: i32[M, N]) -> (ok: bool[M, N]) { ok[i, j] = less_most(x[i, ...])[j] == x[i, j] - max[n](x[i, n]); }
check each_row(M = 3, N = 4);

// clause 4.5
fn pool<T, K: int = 2, keep: bool = true, act: fn = identity>(x: T[B..., K*N]) -> (y: T[B..., N]) {
    y[b..., n] = if keep then act(max[r in 0..K](x[b..., K*n + r])) else 0;
}
fn half_of(x) = x / 2;
export fn generic(x: i32[6*N]) -> (ok: bool[2*N], ok3: bool[3*N]) {
    ok[n] = pool(x, K = 3)[n] == max(max(x[3*n], x[3*n + 1]), x[3*n + 2]) && pool(x, keep = false, K = 3)[n] == 0;
    ok3[n] = pool(x)[n] == max(x[2*n], x[2*n + 1]) && pool(x, act = half_of)[n] == pool(x)[n] / 2;
}
check generic(N = 2);

// clause 4.6
fn linear<T>(x: T[N], b: T[N] = 0, scale: T = 1, unused: f32[N] = 3) -> (y: T[N]) { y[i] = x[i] * scale + b[i]; }
export fn defaults(x: i32[N], b: i32[N], unused: f32[M]) -> (ok: bool[N]) {
    ok[i] = linear(x)[i] == x[i] && linear(x, b)[i] == x[i] + b[i] && linear(x, scale = 3)[i] == 3 * x[i];
}
check defaults(N = 3, M = 2);

// clause 4.7, 4.8
fn sgd(inout w: i32[N], g: i32[N]) -> (norm: i32[]) { w[n] = w[n] - 2 * g[n]; norm[] = sum[n](g[n]); }
fn bump(inout w: i32[N]) { w[n] += 1; }
export fn updates(inout a: i32[N], inout b: i32[N], g: i32[N]) -> (ok: bool[N]) {
    let s = sgd(a, g);
    bump(b);
    ok[n] = new(a)[n] == a[n] - 2 * g[n] && new(b)[n] == b[n] + 1 && s[] == sum[k](g[k]);
}
check updates(N = 5);

// clause 4.10
reduce spread[k](e) { let m = max[k](e); return m - min[k](e); }
reduce ends[k](e) { return (min[k](e), max[k](e)); }
export fn composite(x: i32[M, N]) -> (ok: bool[M], ok_all: bool[]) {
    require N >= 2;
    let (lo[i], hi[i]) = ends[j](x[i, j]);
    ok[i] = spread[j](x[i, j]) == hi[i] - lo[i] && spread[j in 0..2](x[i, j]) == abs(x[i, 0] - x[i, 1]) && spread[j where j == 1](x[i, j]) == 0
        && ends2[j](x[i, j] + 1) == hi[i] + lo[i] + 2;
    ok_all[] = whole[i, j](x[i, j]) == max[i](hi[i]) - min[i](lo[i]);
}
reduce crossed[a, b](e, f) = sum[a](max[b](e) * min[b](f));
export fn several(x: i32[M, N]) -> (ok: bool[]) { ok[] = crossed[i, j](x[i, j], x[i, j] + 1) == sum[i](max[j](x[i, j]) * min[j](x[i, j] + 1)); }
check several(M = 3, N = 5);
reduce ends2[k](e) { return min[k](e) + max[k](e); }
reduce whole[k...](e) { return max[k...](e) - min[k...](e); }
check composite(M = 3, N = 5);

// clause 4.11
export fn imported(x: i32[N]) -> (ok: bool[N]) { ok[i] = helper(x[i]) == x[i] + 1 && helper_sum[j in 0..3](x[i] + j) == 3 * x[i] + 3; }
check imported(N = 3);
