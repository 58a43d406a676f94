// Packs anywhere, bounds of dimensions by names, defaults, whole tensors by calls; what is refused at entry.
dim K in 1..=N;
dim N in 1..=4096 divisible 2;
require N >= 4, "at least four";
fn tail<T>(x: T[B..., N], k: int = 3) -> (y: T[B..., k]) { require k <= N; y[b..., j] = x[b..., N - k + j]; }
fn outer(a: f32[A], b: f32[C...]) -> (y: f32[A, C...]) { y[i, j...] = a[i] * b[j...]; }
fn addp<T>(x: T[B..., N], y: T[B..., N]) -> (z: acc(T)[B..., N]) = zip(x, y);
fn zip<T>(x: T[S...], y: T[S...]) -> (z: acc(T)[S...]) { z[s...] = x[s...] + y[s...]; }
fn norm2<T>(x: T[S...]) -> (n: acc(T)[]) { n[] = sqrt(sum[s...](x[s...] * x[s...])); }
fn at_flat<T>(x: T[S...]) -> (y: i64[S...], m: acc(T)[S...]) { y[s...] = flat(s...); m[s...] = x[s...] - sum[q... where flat(q...) < flat(s...)](x[q...]); }
export fn a1(x: bf16[2, M, N], k: f32[K]) -> (y: bf16[2, M, 3], z: bf16[2, M, 2], o: f32[2, M, 3, N/2], n: f32[], kk: f32[K]) {
    y = tail(x);
    z = tail(x, k = 2);
    o[i, j, l, m] = outer(tail(x[i, j, ...]), x[0, j, ...])[l, 2*m];
    n = norm2(addp(x, x));
    kk[i] = k[i] + x[0, 0, i];
    require M >= 1;
}
export fn a2(x: f32[M, N]) -> (y: i64[M, N], m: f32[M, N]) { (y, m) = at_flat(x); }
export fn a3(x: f32[M, N], y: f32[M, N]) -> (z: bf16[M, N], w: f32[M]) { z = addp(x, y); let (_, m) = at_flat(y); w[i] = sum[j](m[i, j]); }
export fn a4(n: int = 4, m: int) -> (y: f32[n, m]) { y[i, j] = if i == j then 1 else 0; }
export fn a5(x: f32[N, 3, 2, M]) -> (y: f32[2, 3, M, N]) { y[c, b, d, a] = x[a, b, c, d]; }
export fn a6(a: f32[2], b: f32[2], c: f32[2], d: f32[2], e: f32[2], f: f32[2]) -> (y: f32[2, 2, 2, 2, 2, 2]) { y[i, j, k, l, m, n] = a[i] * b[j] + c[k] * d[l] - e[m] / (f[n] + 10); }
check a1(M = 3, N = 6, K = 4);
check a1(M = 3, N = 6, K = 7) error "K";
check a1(M = 3, N = 7, K = 3) error "N";
check a1(M = 3, N = 2, K = 1) error "at least four";
check a2(M = 3, N = 6);
check a3(M = 3, N = 6);
check a4(m = 7);
check a4(n = 2, m = 7);
check a5(N = 4, M = 5);
check a6();
