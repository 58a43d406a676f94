// Chapters 10 and 11 of docs/language.md: entry points and checks.

// clause 10.1, 10.2
fn scaled<T, K: int = 2>(x: T[B..., N], by: f32) -> (y: acc(T)[B..., N], ok: bool[B..., N]) {
    y[b..., n] = x[b..., n] * by * K;
    ok[b..., n] = abs(y[b..., n] - f32(x[b..., n]) * by * K) <= 1e-6 * abs(y[b..., n]);
}
export scaled_bf16 = scaled(T = bf16, B = [M]);
export scaled_flat = scaled(T = f32, B = [], K = 5);
export scaled_fixed = scaled(T = f16, B = [P, 3], N = 4);
check scaled_bf16(M = 3, N = 5, by = 0.5);
check scaled_flat(N = 5, by = 0.5);
check scaled_fixed(P = 2, by = 2);
// Stored as bf16, the result is read unrounded by the function's equations, for which 3 + 2^-12 is not 3.
fn thirds(x: f32[N]) -> (y: f32[N], ok: bool[N]) { y[n] = 3 + 0.0 * x[n] + 1.0 / 4096; ok[n] = y[n] > 3; }
export rounded_last = thirds() -> (bf16, _);
export fn rounded_first(x: f32[N]) -> (y: bf16[N], ok: bool[N]) { y[n] = 3 + 0.0 * x[n] + 1.0 / 4096; ok[n] = y[n] == 3; }
check rounded_last(N = 5);
check rounded_first(N = 5);

// clause 10.3, 3.6, 11.5: what the C function refuses about its pointers is in tests/glue/refusals.c
dim H in 1..=64 divisible 4;
export fn refusing(x: f32[H, N - 1]) -> (ok: bool[H]) {
    require N > 1, "more than one";
    ok[h] = x[h, 0] == x[h, 0];
}
check refusing(H = 4, N = 2);
check refusing(H = 4, N = 1) error "more than one";
check refusing(H = 68, N = 2) error "dimension H: expected 1..=64, got 68";
check refusing(H = 6, N = 2) error "dimension H: expected a multiple of 4, got 6";
check refusing(H = 4, N = -3) error "N";

// clause 10.5
export fn rate(step: i32, most: f32 = 0.5) -> f32 = if step < 10 then most * f32(step) / 10 else most;
export fn warm(step: i64) -> bool = step >= 10;
check rate(step = 3);
check rate(step = 30, most = 0.25);
check warm(step = 10);

// clause 3.11
export fn long(x: u8[A, B]) -> (ok: bool[A]) { ok[a] = sum[b](x[a, b]) >= 0; }
check long(A = 2, B = 3);
check long(A = 2, B = 1099511627777) error "B";
check long(A = 1099511627776, B = 1048576) error "x";

// clause 11.1, 11.2
export fn inputs(a: i32[N], b: u16[N], c: i64[N], d: i8[M], e: f32[N], f: f32[N], g: f32[N], h: bf16[N], s: f32 = 0.25, p: bool[N])
    -> (ok: bool[N], ok_range: bool[M], ok_spread: bool[]) {
    assume 3 <= c[n] && c[n] < M + 4;
    ok[n] = a[n] >= -16 && a[n] <= 15 && b[n] <= 15 && c[n] >= 3 && c[n] < M + 4 && f[n] >= 2 && f[n] < 3 && abs(g[n]) < 0.1 && s == 0.25;
    ok_range[m] = d[m] >= -2 && d[m] <= 5;
    ok_spread[] = abs(mean[n](e[n])) < 0.2 && abs(mean[n](e[n] * e[n]) - 1) < 0.2 && abs(mean[n](h[n])) < 0.2 && min[n](a[n]) == -16 && max[n](a[n]) == 15
        && max[n](b[n]) == 15 && min[m](d[m]) == -2 && max[m](d[m]) == 5 && max[n](e[n]) > 2 && any[n](p[n]) && !all[n](p[n]);
}
check inputs(N = 1000, M = 90) with f in 2..3, g ~ 0.01, d in -2..=5;

// clause 11.2: each part that an assumption leaves is drawn from
export fn parts(t: i32[M], u: i32[M], off: i32[B + 1], V: int) -> (ok: bool[M], ok_off: bool[B], ok_spread: bool[]) {
    assume t[m] == -100 || 0 <= t[m] && t[m] < V;
    assume u[m] != 3 && !(u[m] < 0 || 5 < u[m] && u[m] != 70);
    assume 0 <= off[b] && off[b] <= M;
    assume b >= B || off[b] <= off[b + 1];
    ok[m] = (t[m] == -100 || t[m] >= 0 && t[m] < V) && (0 <= u[m] && u[m] < 6 && u[m] != 3 || u[m] == 70);
    ok_off[b] = off[b] <= off[b + 1];
    ok_spread[] = any[m](t[m] == -100) && any[m](t[m] == 0) && any[m](t[m] == V - 1) && any[m](u[m] == 70) && any[m](u[m] == 5) && off[B] > 0;
}
check parts(M = 200, B = 9, V = 4);

// clause 11.6
bench inputs(N = 1000, M = 90);
