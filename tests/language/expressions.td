// Chapters 6 and 7 of docs/language.md: expressions and reductions.

// clause 6.1
export fn precedence(x: i32[N], y: i32[N], f: f64[N], p: bool[N], q: bool[N], r: bool[N])
    -> (ok: bool[N], ok_bits: bool[N], ok_pow: bool[N], ok_logic: bool[N]) {
    ok[i] = 2 + 3 * x[i] == 2 + (3 * x[i]) && 20 - 5 - x[i] == (20 - 5) - x[i] && 60 / 2 * x[i] == (60 / 2) * x[i] && 7 % 4 * 2 == 6
        && 1 + 2 << 1 == 6 && 10 - x[i] < 11 - x[i] && -x[i] * y[i] == (-x[i]) * y[i];
    ok_bits[i] = (x[i] | y[i] ^ 5 & x[i]) == (x[i] | (y[i] ^ (5 & x[i]))) && (x[i] & 7 << 1) == (x[i] & (7 << 1)) && (x[i] & 1 + 1) == (x[i] & 2);
    ok_pow[i] = -2.0 ** 2 == -4.0 && 2 ** 3 ** 2 == 512 && f[i] ** 2 * 3 == (f[i] * f[i]) * 3 && 2.0 ** -1 == 0.5;
    ok_logic[i] = (p[i] || q[i] && r[i]) == (p[i] || (q[i] && r[i])) && (!p[i] && q[i]) == ((!p[i]) && q[i])
        && (if p[i] then 1 else 2 + 3) == (if p[i] then 1 else 5) && (x[i] < y[i] || !(x[i] < y[i]));
}
check precedence(N = 20);

// clause 6.2
export fn lazy(x: f32[N]) -> (ok: bool[N]) {
    ok[i] = (if i > 0 then x[i - 1] == x[i - 1] else true) && (i == 0 || x[i - 1] == x[i - 1]) && !(i > 0 && x[i - 1] != x[i - 1]);
}
check lazy(N = 3);

// clause 6.3
export fn quotients(x: i32[N], u: u32[N], w: i64[N], z: i32) -> (ok: bool[N], ok_zero: bool[N], ok_most: bool[]) {
    ok[i] = -7 / 2 == -4 && -7 % 2 == 1 && 7 / -2 == -4 && 7 % -2 == -1 && x[i] / 3 * 3 + x[i] % 3 == x[i]
        && x[i] % 3 >= 0 && x[i] % -3 <= 0 && u[i] / 3 * 3 + u[i] % 3 == u[i] && w[i] / -5 * -5 + w[i] % -5 == w[i];
    ok_zero[i] = x[i] / z == 0 && x[i] % z == 0 && u[i] / u32(z) == 0 && w[i] / i64(z) == 0 && w[i] % i64(z) == 0;
    ok_most[] = (-2147483647 - 1) / (z - 1) == -2147483647 - 1;
}
check quotients(N = 40, z = 0);

// clause 6.5
export fn float_mod(x: f32[N], y: f32[N]) -> (ok: bool[N]) {
    ok[i] = -7.5 % 2.0 == 0.5 && 7.5 % -2.0 == -0.5 && x[i] % 2.0 >= 0 && x[i] % 2.0 <= 2.0 && x[i] % -2.0 <= 0 && isnan(x[i] % 0.0);
}
check float_mod(N = 40);

// clause 6.6
export fn bits(x: i32[N], u: u32[N], w: i64[N], n: i32) -> (ok: bool[N], ok_far: bool[N], ok_back: bool[N]) {
    ok[i] = (x[i] & 6) + (x[i] | 6) == x[i] + 6 && (x[i] ^ x[i]) == 0 && x[i] << 3 == x[i] * 8 && x[i] >> 1 == x[i] / 2
        && u[i] >> 1 == u[i] / 2 && w[i] >> 40 == w[i] / 1099511627776;
    ok_far[i] = x[i] << n == 0 && x[i] >> n == (if x[i] < 0 then -1 else 0) && u[i] >> u32(n) == 0 && w[i] << i64(n + 32) == 0;
    ok_back[i] = x[i] << -n == 0 && x[i] >> -n == (if x[i] < 0 then -1 else 0);
}
check bits(N = 40, n = 32);
check bits(N = 40, n = 77);

// clause 6.7
export fn powers(x: f64[N], k: i32[N], h: bf16[N], step: i32, beta: f32) -> (ok: bool[N], ok_mixed: bool[N]) {
    ok_mixed[i] = beta ** step == pow(beta, f32(step)) && 2.0 ** k[i] == pow(2.0, f32(k[i])) && abs(x[i]) ** k[i] == pow(abs(x[i]), f64(k[i]))
        && abs(h[i]) ** k[i] == pow(f32(abs(h[i])), f32(k[i]));
    ok[i] = x[i] ** 3 == x[i] * x[i] * x[i] && k[i] ** 2 == k[i] * k[i] && x[i] ** 0 == 1 && abs(x[i]) ** 0.5 == pow(abs(x[i]), 0.5)
        && abs(x[i] ** -2 * (x[i] * x[i]) - 1) < 1e-12;
}
check powers(N = 20, step = 7, beta = 0.875);

// clause 6.9: what is chosen
export fn chosen(x: i8[N], z: i8[N], w: u16[N]) -> (y: i8[N], m: i8[N], v: u16[N], ok: bool[N]) {
    y[i] = if x[i] < 0 then 0 else if x[i] > 100 then -128 else max(x[i], z[i]);
    m[i] = min(x[i], 100);
    v[i] = if i % 2 == 0 then 65535 else w[i];
    ok[i] = y[i] == (if x[i] < 0 then 0 else if x[i] > 100 then -128 else max(x[i], z[i])) && m[i] <= 100
            && (i % 2 == 1 || v[i] == 65535);
}
check chosen(N = 37);

// clause 6.8, 6.9
export fn literals(b: bf16[N], h: f16[N], d: f64[N], k: i8[N], u: u8[N], w: i64[N], s: i16[N]) -> (ok: bool[N], ok_wide: bool[N], c: bf16[N]) {
    ok[i] = b[i] + 1 == 1.0 + b[i] && (k[i] + 1) / 2 == (i32(k[i]) + 1) / 2 && d[i] + 0.1 - 0.1 - d[i] < 1e-15 && d[i] * i == d[i] * f64(i)
        && h[i] * N == h[i] * f32(N) && (i + 1) * 0.5 == f32(i + 1) / 2;
    ok_wide[i] = k[i] + w[i] == i64(k[i]) + w[i] && u[i] + s[i] == i32(u[i]) + i32(s[i]) && b[i] + d[i] == f64(b[i]) + d[i]
        && b[i] * h[i] == f32(b[i]) * f32(h[i]) && k[i] + u[i] == i32(k[i]) + i32(u[i]);
    c[i] = b[i] * h[i];
}
check literals(N = 9);

// clause 6.10
export fn casts(x: f32[N], k: i32[N]) -> (ok: bool[N], ok_int: bool[N], ok_f8: bool[N], ok_range: bool[]) {
    ok[i] = i32(-1.75) == -1 && i32(3e9 + 0 * x[i]) == 2147483647 && i8(-1000 - x[i]) == -128 && u8(x[i] - 100) == 0 && i64(nan * x[i]) == 0
        && u32(inf + 0 * x[i]) == 4294967295 && i32(x[i]) == i32(trunc(x[i])) && i32(2147483000.0 + 0 * x[i]) == 2147483008;
    ok_int[i] = i8(k[i] + 256) == k[i] && u8(k[i]) == (k[i] & 255) && u32(k[i]) % 65536 == (u32(k[i]) & 65535) && i32(i64(k[i]) + 4294967296) == k[i]
        && u4(k[i]) == (k[i] & 15);
    ok_f8[i] = f8e4m3(1e9 + 0 * x[i]) == 448 && f8e4m3(-inf + 0 * x[i]) == -448 && f8e5m2(inf + 0 * x[i]) == 57344 && isnan(f32(f8e4m3(nan * x[i])))
        && f8e4m3(17.0 + 0 * x[i]) == 16 && f8e4m3(19.0 + 0 * x[i]) == 20 && bf16(1.00390625 + 0 * x[i]) == 1 && bf16(1.01171875 + 0 * x[i]) == 1.015625 && isinf(f16(65520.0 + 0 * x[i]));
    ok_range[] = sum[j in 0..i8(258)](j) == 1 && sum[j in 0..1 << 3](j) == 28;
}
check casts(N = 20);

// clause 6.11
export fn loads(x: i32[N], w: i32[V, D], ids: i32[N], one: i32[]) -> (ok: bool[N, D], ok_pad: bool[N]) {
    assume 0 <= ids[n] && ids[n] < V;
    ok[n, d] = w[ids[n], d] == sum[v where v == ids[n]](w[v, d]) && one[] + 0 == one[];
    ok_pad[n] = pad(x[n - 1], -5) == (if n > 0 then x[n - 1] else -5) && pad(w[n, D], 7) == 7 && pad(x[x[n]], 99) == (if x[n] >= 0 && x[n] < N then x[x[n]] else 99);
}
check loads(N = 7, V = 3, D = 2);

// clause 6.12
export fn numbered(x: i32[P, Q, R]) -> (ok: bool[P, Q, R], ok_sum: bool[]) {
    ok[a, b, c] = flat(a, b, c) == (a * Q + b) * R + c && flat(b, c) == b * R + c;
    ok_sum[] = sum[a in P, b in Q, c in R](flat(a, b, c)) == P * Q * R * (P * Q * R - 1) / 2;
}
check numbered(P = 2, Q = 3, R = 4);

// clause 6.13
export fn functions(x: f32[N], k: i32[N]) -> (ok: bool[N], ok_special: bool[N], ok_int: bool[N]) {
    ok[i] = round(2.5 + 0 * x[i]) == 2 && round(-3.5 + 0 * x[i]) == -4 && sign(x[i] * 0) == 0 && sign(-3.0 - abs(x[i])) == -1 && relu(x[i]) == max(x[i], 0)
        && clamp(x[i], -0.5, 0.5) == min(max(x[i], -0.5), 0.5) && floor(x[i]) <= x[i] && ceil(x[i]) >= x[i] && fma(x[i], 2.0, 1.0) == x[i] * 2 + 1
        && trunc(x[i]) == sign(x[i]) * floor(abs(x[i])) && rsqrt(4.0 + 0 * x[i]) == 0.5;
    ok_special[i] = isnan(relu(nan * x[i])) && isnan(sign(nan * x[i])) && sigmoid(-inf + 0 * x[i]) == 0 && sigmoid(inf + 0 * x[i]) == 1 && isinf(log(x[i] * 0))
        && isnan(sqrt(-1 - abs(x[i]))) && !isfinite(inf + x[i]) && isfinite(x[i]) && tanh(inf + 0 * x[i]) == 1 && isinf(exp(1000 + x[i])) && exp(-inf + 0 * x[i]) == 0;
    ok_int[i] = abs(k[i]) == max(k[i], -k[i]) && sign(k[i]) == (if k[i] > 0 then 1 else if k[i] < 0 then -1 else 0) && clamp(k[i], -2, 2) == min(max(k[i], -2), 2);
}
check functions(N = 20);

// clause 7.1, 7.2, 7.3
export fn folds(x: i32[M, N], y: i32[M, 2, 3], lo: i32[M], hi: i32[M]) -> (ok: bool[M], ok_all: bool[]) {
    assume 0 <= lo[i] && 0 <= hi[i] && hi[i] <= N;
    ok[i] = sum[j](x[i, j]) == sum[j in 0..N](x[i, j]) && max[r in 0..2](y[i, r, 0]) == max(y[i, 0, 0], y[i, 1, 0]) && sum[r in 0..=1, s in 2](y[i, r, s])
        == y[i, 0, 0] + y[i, 0, 1] + y[i, 1, 0] + y[i, 1, 1] && sum[j in lo[i]..hi[i]](x[i, j]) == sum[j where lo[i] <= j && j < hi[i]](x[i, j])
        && sum[j in N where j > 0](x[i, j - 1]) == sum[j in 0..N where j < N - 1](x[i, j]) && prod[r in 0..4](2) == 16;
    ok_all[] = sum[i, j](x[i, j]) == sum[j, i](x[i, j]);
}
check folds(M = 4, N = 15);
fn sum_of(x: i32[B...]) -> (s: i32[]) { s[] = sum[b...](x[b...]); }
export fn pack_sum(x: i32[M, N]) -> (ok: bool[]) { ok[] = sum_of(x)[] == sum[i, j](x[i, j]); }
check pack_sum(M = 3, N = 5);

// clause 7.4, 7.5
export fn nothing(x: f32[N], k: i32[N], p: bool[N], u: u8[N]) -> (ok: bool[], ok_int: bool[], ok_mean: bool[], ok_arg: bool[]) {
    ok[] = sum[i where i < 0](x[i]) == 0 && prod[i where i < 0](x[i]) == 1 && max[i where i < 0](x[i]) == -inf && min[i where i < 0](x[i]) == inf
        && !any[i where i < 0](p[i]) && all[i where i < 0](p[i]);
    ok_int[] = max[i where i < 0](k[i]) == -2147483647 - 1 && min[i where i < 0](k[i]) == 2147483647 && min[i where i < 0](u[i]) >= 255;
    ok_mean[] = isnan(mean[i where i < 0](x[i])) && mean[i in N where i % 2 == 0](f32(i)) == (if N == 5 then 2.0 else 3.0);
    ok_arg[] = argmax[i where i < 0](x[i]) == -1 && argmin[i where i < 0](k[i]) == -1;
}
check nothing(N = 5);
check nothing(N = 7);

// clause 7.6, 7.7
export fn extremes(x: f32[N], at: int) -> (ok: bool[], ok_nan: bool[], ok_tie: bool[]) {
    let y[i in N] = if i == at || i == at + 1 then nan else x[i];
    ok[] = argmax[i](x[i]) == min[i where x[i] == max[j](x[j])](i) && x[argmin[i](x[i])] == min[i](x[i]);
    ok_nan[] = argmax[i](y[i]) == at && argmin[i](y[i]) == at && isnan(max[i](y[i])) && isnan(min[i](y[i])) && isnan(max(y[at], 1.0)) && isnan(min(1.0, y[at]));
    ok_tie[] = argmax[i in N](3.0) == 0 && argmin[i in N](f32(i / 2 % 2)) == 0 && 1 / max(0.0 * x[0], -0.0 * x[0]) == inf && 1 / min(0.0 * x[0], -0.0 * x[0]) == -inf;
    require at < N && N >= 1;
}
check extremes(N = 9, at = 4);

// clause 7.10, 7.11, 7.12
export fn ranked(x: f32[M, N], k: i8[N], K: int) -> (ok: bool[M], ok_k: bool[], ok_nan: bool[], ok_tie: bool[], ok_zero: bool[], ok_sub: bool[M, K]) {
    require N >= 5;
    let (v[m, r], at[m, r]) = sort[n](x[m, n]);
    let (top[r, m], place[r, m]) = topk[n](x[m, n], K);
    let order[m, r] = argsort[n](x[m, n]);
    ok[m] = all[n](v[m, n] == x[m, at[m, n]] && (n == 0 || v[m, n - 1] < v[m, n]) && order[m, n] == at[m, n])
        && all[r in K](top[r, m] == v[m, N - 1 - r] && place[r, m] == at[m, N - 1 - r]);
    ok_sub[m, r] = x[m, place[r, m]] == top[r, m];
    let (kv[i], ki[i]) = sort[i](k[i] % 3);
    ok_k[] = all[i](i == 0 || kv[i - 1] < kv[i] || kv[i - 1] == kv[i] && ki[i - 1] < ki[i]) && sum[i](kv[i]) == sum[i](k[i] % 3);
    let (a[r], ai[r]) = sort[i in 5](if i == 1 || i == 2 then nan else if i == 3 then -inf else f32(i));
    let (d[r], di[r]) = topk[i in 5](if i == 1 || i == 2 then nan else if i == 3 then inf else f32(i), 5);
    ok_nan[] = ai[0] == 3 && ai[1] == 0 && ai[2] == 4 && ai[3] == 1 && ai[4] == 2 && isnan(a[3]) && a[0] == -inf
        && di[0] == 3 && di[1] == 4 && di[2] == 0 && di[3] == 1 && di[4] == 2 && isnan(d[4]);
    let (_, same[r]) = topk[i in N](i / 2 * 0, 3);
    ok_tie[] = same[0] == 0 && same[1] == 1 && same[2] == 2;
    let (z[r], _) = sort[i in 1..5](if i % 2 == 0 then -0.0 * abs(x[0, i]) else 0.0 * abs(x[0, i]));
    ok_zero[] = M == 0 || 1 / z[0] == inf && 1 / z[1] == -inf && 1 / z[2] == inf && 1 / z[3] == -inf;
    require M >= 1;
}
check ranked(M = 3, N = 9, K = 4);
check ranked(M = 1, N = 5, K = 0);
check ranked(M = 1, N = 5, K = 6) error "topk takes K of N elements";

// clause 7.8
export fn truths(p: bool[N], x: f32[N]) -> (ok: bool[], ok_count: bool[], c: i32[]) {
    ok[] = any[i](p[i]) == !all[i](!p[i]);
    c[] = sum[i](p[i]);
    ok_count[] = c[] == sum[i](if p[i] then 1 else 0) && sum[i](x[i] > 0) + sum[i](x[i] <= 0) == N;
}
check truths(N = 300);

// clause 7.9
export fn running(x: i32[N]) -> (ok: bool[N], up: i32[N], before: i32[N], rest: i32[N], most: i32[N], product: i32[N]) {
    up[j] = sum[k where k <= j](x[k]);
    before[j] = sum[k where k < j](x[k]);
    rest[j] = sum[k where k >= j](x[k]);
    most[j] = max[k where k <= j](x[k]);
    product[j] = prod[k where k > j](x[k] % 2 + 1);
    ok[j] = up[j] == before[j] + x[j] && up[j] + rest[j] == sum[k](x[k]) + x[j] && (if j > 0 then up[j] == up[j - 1] + x[j] && most[j] == max(most[j - 1], x[j])
        else up[j] == x[j] && most[j] == x[j]) && (if j == N - 1 then product[j] == 1 else product[j] == product[j + 1] * (x[j + 1] % 2 + 1));
}
check running(N = 12);
