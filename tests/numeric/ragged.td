// Reductions over part of an axis: from data to data, up to another index, one element, and nothing at all.

export fn bag(table: i8[V, D], rs: f16[V], idx: i64[N], w: f32[N], off: i64[B + 1]) -> (y: f16[B, D]) {
    assume 0 <= idx[n] && idx[n] < V;
    assume 0 <= off[b] && off[b] <= N;
    y[b, d] = sum[n in off[b]..off[b + 1]](w[n] * f32(rs[idx[n]]) * f32(table[idx[n], d]));
}
check bag(V = 21, D = 9, N = 533, B = 5);
check bag(V = 21, D = 64, N = 0, B = 5);

// A block table, and lengths of which some are 0.
export fn paged(q: f16[B, H, D], kc: f16[P, S, D], vc: f16[P, S, D], table: i32[B, W], len: i32[B]) -> (o: f16[B, H, D]) {
    require S > 0;
    assume 0 <= table[b, w] && table[b, w] < P;
    assume 0 <= len[b] && len[b] <= W * S;
    let s[b, h, t in W * S] = 0.25 * sum[d](q[b, h, d] * kc[table[b, t / S], t % S, d]);
    let m[b, h] = max[t in 0..len[b]](s[b, h, t]);
    let z[b, h] = sum[t in 0..len[b]](exp(s[b, h, t] - m[b, h]));
    o[b, h, d] = if len[b] > 0 then sum[t in 0..len[b]](exp(s[b, h, t] - m[b, h]) * vc[table[b, t / S], t % S, d]) / z[b, h] else 0.0;
}
check paged(B = 5, H = 2, P = 7, S = 5, W = 4, D = 9);

export fn alibi(q: f32[H, S, D], k: f32[H, S, D], v: f32[H, S, D], window: int) -> (o: f32[H, S, D]) {
    require window >= 1;
    let s[h, i in S, j in S] = 0.3 * sum[d](q[h, i, d] * k[h, j, d]) - exp2(-8.0 * (h + 1) / H) * (i - j);
    let m[h, i] = max[j where j <= i && i - j < window](s[h, i, j]);
    let z[h, i] = sum[j where j <= i && i - j < window](exp(s[h, i, j] - m[h, i]));
    o[h, i, d] = sum[j where j <= i && i - j < window](exp(s[h, i, j] - m[h, i]) * v[h, j, d]) / z[h, i];
}
check alibi(H = 2, S = 77, D = 5, window = 9);
check alibi(H = 2, S = 9, D = 5, window = 100);

export fn equal(x: f32[N], at: i32[M]) -> (y: f32[M], z: f32[M]) {
    y[m] = sum[n where n == at[m]](x[n]);
    z[m] = max[n where n + at[m] > 3 && n + 2 * at[m] <= 40](x[n]);
}
check equal(N = 70, M = 33) with at in -5..=80;

// A count is not negative: it needs a bound above alone.
export fn pick(cdf: f32[B, V], u: f32[B]) -> (p: f32[B]) {
    require V >= 1;
    let k[b] = min(sum[v where cdf[b, v] <= u[b]](1), V - 1);
    p[b] = cdf[b, k[b]];
}
check pick(B = 5, V = 17);

// A range that an element has only where a condition holds: its ends may be loaded under that, and elsewhere be anything.
export fn ragged_some(x: f16[T, D], off: i32[B + 1], m: bool[B, D]) -> (y: f32[B, D]) {
    assume 0 <= off[b] && off[b] <= T;
    y[b, d] = if m[b, d] then sum[t in off[b]..off[b + 1]](f32(x[t, d])) else 1;
}
check ragged_some(T = 0, D = 3, B = 2);
check ragged_some(T = 203, D = 19, B = 17);
check ragged_some(T = 1, D = 1, B = 1);

export fn keyed_some(x: f32[T, D], key: i32[T], m: bool[B, D]) -> (y: f32[B, D]) {
    assume 0 <= key[t] && key[t] < B;
    y[b, d] = if m[b, d] && m[b, (d + 1) % D] then 2 else max[t where key[t] == b](x[t, d] * b);
}
check keyed_some(T = 203, D = 20, B = 17);
check keyed_some(T = 5, D = 1, B = 9);
