// Bodies: lets of every form in functions on elements and reductions, several formal variables, functions by =, functions
// as parameters.
reduce moments[k](e) {
    let n = sum[k](1.0);
    let mu = mean[k](e);
    let (dev, _) = (sum[k]((e - mu) ** 2), 0);
    return (mu, dev / n);
}
reduce spread[k...](e) { let (mu, va) = moments[k...](e); let r: bf16 = sqrt(va); return r + mu; }
reduce trace_like[a, b](e, f) = sum[a](max[b](e) * min[b](f));
reduce peak[a, b](e) { let m = max[a, b](e); return sum[b, a](exp(e - m)); }

fn dev(x: f32[N], i: int) -> f32 { let m = mean[n](x[n]); let (lo, hi) = (min[n](x[n]), max[n](x[n])); return (x[i] - m) / (hi - lo + 1); }
fn total(x: f32[B..., N]) -> (y: f32[]) = sum[b..., n](x[b..., n]);
fn scaled<act: fn = identity>(x: f32[N], a: f32 = 2) -> (y: f32[N]) { y[n] = act(a * x[n]); }
fn twice<act: fn>(x: f32[N]) -> (y: f32[N]) = scaled(scaled(x, act = act), act = act);
fn both(x: f32[N]) -> (a: f32[N], b: f32[N]) = (scaled(x), scaled(x, a = 3));
fn square(x) = x * x;
fn map<f: fn>(x: f32[N]) -> (y: f32[N]) = f(x);
fn count(n: int) -> int = n * n + 1;

export fn stats(x: f32[M, H, W]) -> (mu: f32[M], va: f32[M], sp: f32[M]) {
    let (m[i], v[i]) = moments[h, w](x[i, h, w]);
    mu[i] = m[i];
    va[i] = v[i];
    sp[i] = spread[h in 0..H, w where w != h](x[i, h, w]);
}
export fn formals(x: f32[M, N], y: f32[M, N]) -> (t: f32[], p: f32[], q: f32[M]) {
    t[] = trace_like[i, j](x[i, j], y[i, j]);
    p[] = peak[i, j in 0..N where j <= i + 3](x[i, j] + y[i, j]);
    q[m] = trace_like[i, j in 0..i + 1 where i < N && j < M](x[m, j] * y[m, i], x[m, i] - y[m, j]);
}
export fn devs(x: f32[M, N]) -> (y: f32[M, N]) { y[m, n] = dev(x[m, ...], n); }
export fn totals(x: f32[M, K, N]) -> (s: f32[], t: f32[M]) { s = total(x); t[m] = total(x[m, ...])[]; }
export fn maps(x: f32[N]) -> (y: f32[N], z: f32[N], a: f32[N], b: f32[N]) {
    y = twice(x, act = square);
    z = map(x, f = scaled);
    (a, b) = both(x);
}
export fn relus(x: f32[N], k: int) -> (y: f32[N]) { y[n] = twice(x, act = relu)[n] + count(k) * 1.0; }

dim M in 1..=64;
dim N in 1..=64;
