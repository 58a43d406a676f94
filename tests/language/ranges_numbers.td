// Chapters 8 and 9 of docs/language.md: ranges, proofs, numbers, options, random numbers.

// clause 8.1, 8.2, 8.3
export fn ranges(x: i32[2*M + 1], a: i32[M, K], b: i32[L, N]) -> (ok: bool[M], c: i32[M, N], part: i32[M]) {
    require K == L;
    c[i, j] = sum[k](a[i, k] * b[k, j]);
    part[i in 0..M] = sum[r in 0..2](x[2*i + r]) + pad(a[i, M], 0);
    let t[i] = sum[k](a[i, k] + (if k < 3 then pad(x[k], 0) else 0));
    ok[i] = part[i] - pad(a[i, M], 0) == x[2*i] + x[2*i + 1] && t[i] == sum[k](a[i, k]) + sum[k in 0..min(3, K)](pad(x[k], 0))
        && sum[j](c[i, j]) == sum[k](a[i, k] * sum[j](b[k, j]));
}
check ranges(M = 3, K = 4, L = 4, N = 2);
check ranges(M = 1, K = 2, L = 2, N = 1);

// clause 8.2: lets whose ranges their readers say, directly, through other lets, beside a pack, and one only in a branch.
fn read_ahead(x: i32[B..., T, D], w: i32[T]) -> (ok: bool[B..., T], sums: i32[B..., T, D], branch: i64[T]) {
    let run[b..., t, d] = sum[k where k <= t](x[b..., k, d]);
    sums[b..., t, d] = run[b..., t, d];
    let s[b..., i, j] = sum[d](x[b..., i, d] * x[b..., j, d]);
    let mask[b..., i, j] = if j <= i then s[b..., i, j] else -1000;
    let top[b..., i] = max[j](mask[b..., i, j]);
    ok[b..., t] = top[b..., t] == max[j in T where j <= t](s[b..., t, j]) && sum[j](w[j] * (mask[b..., t, j] + 1000)) == sum[j in T where j <= t](w[j] * (s[b..., t, j] + 1000));
    let one[i] = 3 * i;
    branch[t] = if t > 1 then one[t] else 2;
}
export read_ahead_of = read_ahead(B = [P, Q]);
check read_ahead_of(P = 2, Q = 3, T = 4, D = 5);

// clause 8.4
export fn conditions(x: i32[N], M: int) -> (ok: bool[N]) {
    require M <= N && M >= 1;
    ok[i] = (if i + 1 < N then x[i + 1] == x[i + 1] else true) && sum[k in N where k + i < M](x[k + i]) == sum[k where k >= i && k < M](x[k])
        && x[M - 1] + x[0] == x[0] + x[M - 1] && (i == N - 1 || x[i + 1] == x[i + 1]) && (if i != 0 then x[i - 1] >= -16 else true);
}
check conditions(N = 5, M = 4);

// clause 8.5
dim W in 3..100000;
export fn promised(x: i32[G*K], w: i32[W], heads: i32[T, H*D]) -> (ok: bool[G, K], ok_w: bool[W - 2], ok_pool: bool[W / 2], ok_head: bool[H, T, D]) {
    ok[g, k] = (g*K + k) / K == g && (g*K + k) % K == k && x[g*K + k] == x[(g*K + k) / K * K + (g*K + k) % K] && (g*K + k) / 2 / 3 == (g*K + k) / 6;
    ok_w[p] = sum[r in 0..3](w[p + r]) == w[p] + w[p + 1] + w[p + 2];
    ok_pool[p] = max[r in 0..2](w[2*p + r]) == max(w[2*p], w[2*p + 1]);
    ok_head[h, t, d] = heads[t, h*D + d] == heads[t, (h*D + d) / D * D + d];
}
check promised(G = 2, K = 3, W = 7, T = 2, H = 3, D = 4);
check promised(G = 0, K = 3, W = 3, T = 1, H = 1, D = 1);

// clause 8.5: remainders that are known
dim E8 divisible 8;
export fn remainders(x: i32[D], e: i32[E8], t: i32[M], F: int, f: i32[F]) -> (ok: bool[D], swap: i32[D], ok_e: bool[E8], ok_t: bool[M], ok_f: bool[F]) {
    require D % 2 == 0 && F / 3 * 3 == F - 2;
    assume 0 <= t[m] && t[m] < D;
    swap[d] = if d % 2 == 0 then x[d + 1] else x[d - 1];
    ok[d] = swap[d] == x[d + 1 - 2*(d % 2)] && swap[d] == x[if d % 2 != 1 then d/2*2 + 1 else d/2*2];
    ok_e[i] = e[i/8*8 + 7] == e[i - i % 8 + 7] && (if i % 4 == 1 then e[i + 2] == e[i/4*4 + 3] else true);
    ok_t[m] = if t[m] % 2 != 1 then x[t[m] + 1] == x[t[m]/2*2 + 1] else true;
    ok_f[i] = if i % 3 == 0 then f[i + 1] == f[i/3*3 + 1] else true;
}
check remainders(D = 6, E8 = 16, M = 5, F = 8);
check remainders(D = 2, E8 = 8, M = 1, F = 2);

// clause 8.6: lets of conditions say what their definitions say
export fn named_conditions(x: i32[N], k: i32[M], w: i32[M]) -> (ok: bool[M], y: i32[M], z: i32[M], last: i32[N]) {
    let low[m] = 0 <= k[m];
    let in_range[m] = low[m] && k[m] < N;
    let out[m] = !in_range[m];
    let ends[i in N] = i == N - 1;
    y[m] = if w[m] > 0 && in_range[m] then x[k[m]] else 0;
    z[m] = sum[i where !out[i] && i <= m](x[k[i]]);
    last[i] = if ends[i] then 0 else x[i + 1];
    ok[m] = y[m] == (if w[m] > 0 then pad(x[k[m]], 0) else 0) && z[m] == sum[i where i <= m](pad(x[k[i]], 0))
        && all[i in N](last[i] == pad(x[i + 1], 0));
}
check named_conditions(N = 9, M = 13);

// clause 3.1, 8.5
fn windows(n: int, k: int, up: bool) = if up then max(n - k + 1, 0)/2 + 1 else (n - k)/2 + 1;
export fn cases(x: i32[W], y: i32[4*C], f: i32[4*O]) -> (ok: bool[windows(W, 3, false)], mirror: bool[2*W - 1], part: bool[max(W - 9, 0)], group: bool[4*O, C]) {
    ok[p] = sum[r in 0..3](x[2*p + r]) == x[2*p] + x[2*p + 1] + x[2*p + 2];
    mirror[i] = x[W - 1 - abs(i - (W - 1))] == x[if i < W then i else 2*W - 2 - i];
    part[i] = x[i + 9] == x[min(i + 9, W - 1)];
    group[o, c] = y[o/O*C + c] + f[o] == f[o] + y[(o/O*C + c) % (4*C)];
}
check cases(W = 8, C = 3, O = 2);
check cases(W = 12, C = 1, O = 0);

// clause 8.6, 8.7
export fn data(x: i32[N], t: i32[M], u: u8[M], off: i32[M + 1], z: i32[256]) -> (ok: bool[M]) {
    require N >= 1 && N < 1000;
    assume 0 <= off[i] && off[i] <= N;
    ok[m] = x[clamp(t[m], 0, i32(N) - 1)] == x[clamp(i64(t[m]), 0, N - 1)] && x[t[m] % i32(N)] == x[i64(t[m]) % N] && z[u[m]] == z[t[m] & 255] - z[t[m] & 255] + z[u[m]]
        && x[argmax[n](x[n])] == max[n](x[n]) && (if t[m] >= 0 && t[m] < N then x[t[m]] == pad(x[t[m]], 0) else true) && sum[n in off[m]..off[m + 1]](x[n]) == sum[n where off[m] <= n && n < off[m + 1]](x[n]);
}
check data(N = 9, M = 7);

// clause 8.8
export fn pitched(x: i32[M, LD], N: int) -> (ok: bool[M], y: i32[M, N]) {
    require N <= LD;
    y[i, j in N] = x[i, j];
    ok[i] = sum[j](y[i, j]) == sum[j in 0..N](x[i, j]);
}
check pitched(M = 3, LD = 8, N = 5);
check pitched(M = 3, LD = 8, N = 9) error "N";

// clause 9.1
export fn arithmetic(a: i32[N], u: u32[N], w: i64[N], b: i8[N], h: f16[N], d: f64[N]) -> (ok: bool[N], ok_wide: bool[N], s: i32[]) {
    ok[i] = a[i] + 2147483647 - 2147483647 == a[i] && u[i] - u[i] - 1 == 4294967295 && 65536 * (a[i] - a[i] + 65536) == 0
        && w[i] + 9223372036854775807 - 9223372036854775807 == w[i] && abs(-2147483647 - 1 + (a[i] - a[i])) == -2147483647 - 1;
    ok_wide[i] = b[i] * b[i] * 100 >= 0 && (h[i] + 40000.0) * 2.0 > 65504 && d[i] + h[i] == d[i] + f64(h[i]) && h[i] * h[i] * h[i] / h[i] == h[i] * h[i] * h[i] / h[i];
    s[] = sum[i](b[i] * b[i]);
}
check arithmetic(N = 20);

// clause 9.2, 9.3, 9.4
export fn roundings(x: f32[N], y: f32[N]) -> (ok: bool[N], z: f32[N], s: f32[]) {
    let a: bf16[i] = x[i];
    let b: bf16[i] = a[i] * y[i];
    z[i] = x[i] * y[i] + x[i];
    s[] = sum[i](x[i] * y[i]);
    ok[i] = a[i] == bf16(x[i]) && b[i] == bf16(bf16(x[i]) * y[i]) && abs(s[] - sum[j](x[j] * y[j])) <= 1e-4 * sum[j](abs(x[j] * y[j]));
}
check roundings(N = 33);

// clause 9.5, 9.6
export fn specials(x: f32[M, N], at: int) -> (ok: bool[M], y: f32[M, N]) {
    require at < N && at >= 1;
    let z[i in M, j in N] = if j == at then nan else if j == 0 then -inf else x[i, j];
    let m[i] = max[j where j < 1](z[i, j]);
    y[i, j] = exp(z[i, j] - m[i]);
    ok[i] = isnan(sum[j](z[i, j] * 0)) && sum[j where j != at && j != 0](z[i, j] * 0) == 0 && isnan(y[i, 0]) && m[i] == -inf
        && 1e-40 * (x[i, 0] * 0 + 1) > 0 && 1e-40 * (x[i, 0] * 0 + 1) * 1e10 > 0.9e-30 && (if j_is(at) then true else false) && -inf < x[i, 0] && nan != x[i, 0];
}
fn j_is(j) = j >= 1;
check specials(M = 2, N = 5, at = 2);

// clause 9.7
export fn float_scan(x: f32[N]) -> (ok: bool[N], y: f32[N]) {
    y[j] = sum[k where k <= j](x[k]);
    ok[j] = abs(y[j] - sum[k in 0..j + 1](x[k])) <= 1e-5 * (1 + sum[k](abs(x[k])));
}
check float_scan(N = 40);

// clause 9.8
import "conv";
export fn library(x: bf16[M, C, N], w: bf16[2, C]) -> (ok: bool[M, N], y: f32[M, 2, N]) {
    y = pointwise_conv(x, w);
    ok[i, n] = abs(y[i, 1, n] - sum[c](x[i, c, n] * w[1, c])) <= 1e-5 * sum[c](abs(x[i, c, n] * w[1, c]));
}
check library(M = 2, C = 30, N = 5);

// clause 9.10
option math = exact;
export fn options(x: f32[M, K], w: f32[K]) -> (ok: bool[M], y: f32[M]) {
    option matmul = bf16;
    y[m] = sum[k](x[m, k] * w[k]);
    let rounded[m] = sum[k](f32(bf16(x[m, k])) * f32(bf16(w[k])));
    ok[m] = abs(y[m] - rounded[m]) <= 1e-5 * sum[k](abs(x[m, k]));
}
check options(M = 3, K = 50);

// clause 6.15
export fn drawn(seed: i64) -> (ok: bool[N], y: f32[N]) {
    y[n] = random(seed, 1, n);
    ok[n] = y[n] >= 0 && y[n] < 1 && y[n] == random(seed, 1, n + 0) && y[n] * 16777216 == floor(y[n] * 16777216) && (if n > 0 then y[n] != y[n - 1] else true);
}
check drawn(N = 300, seed = 7);

// clause 8.6: what argmax says of a number holds through a cast that cannot wrap and a let.
export fn chosen(x: f32[T, E]) -> (ok: bool[T]) {
    require E >= 1 && E <= 65536;
    let best: i32[t] = i32(argmax[e](x[t, e]));
    ok[t] = x[t, best[t]] == max[e](x[t, e]);
}
check chosen(T = 7, E = 13);

// clause 8.6: an integer that comes from a float which is not negative is none either, and NaN becomes 0.
export fn sampled(x: f32[W], e: f32[N]) -> (ok: bool[N]) {
    require W >= 1;
    let k[n] = min(i32(floor(max(e[n], 0.0) * 3.0)), W - 1);
    let r[n] = min(i32(sqrt(e[n])), W - 1);
    ok[n] = x[k[n]] == sum[w where w == k[n]](x[w]) && x[r[n]] == sum[w where w == r[n]](x[w]);
}
check sampled(W = 5, N = 37);
