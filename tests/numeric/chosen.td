// Subscripts that data choose and proofs bound: the second best by argmax with a guard, counts over sorted starts and
// edges, running places of maxima; assumptions about intermediates and about several of them at once.

/// The two best experts of each token, weighted by the softmax over both.
export fn top2(x: f32[T, E], w: f32[E, D]) -> (y: f32[T, D], load: i32[E]) {
    require E >= 2, "two experts";
    let a[t] = argmax[e](x[t, e]);
    let b[t] = argmax[e where e != a[t]](x[t, e]);
    let g[t] = sigmoid(x[t, a[t]] - x[t, b[t]]);
    y[t, d] = g[t] * w[a[t], d] + (1 - g[t]) * w[b[t], d];
    load[a[t]] += 1;
    load[b[t]] += 1;
}
check top2(T = 9, E = 5, D = 3);

export fn third(x: f32[T, E]) -> (y: f32[T]) {
    require E > 2;
    let a[t] = argmin[e](x[t, e]);
    let b[t] = argmin[e where e != a[t]](x[t, e]);
    y[t] = x[t, argmin[e where e != a[t] && e != b[t]](x[t, e])];
}
check third(T = 5, E = 3);

/// Which group a row belongs to, by the groups' sorted ends; in which bin a number lies, by the bins' edges.
export fn grouped(x: f16[T, D], end: i32[E], w: f16[E, D, F]) -> (y: f16[T, F]) {
    require E > 0;
    let e[t in T] = sum[i in 0..E - 1 where end[i] <= t](1);
    y[t, f] = sum[d](x[t, d] * w[e[t], d, f]);
}
check grouped(T = 9, D = 4, E = 3, F = 5) with end in 0..9;

export fn bins(x: f32[N], edge: f32[K]) -> (y: i32[K + 1]) {
    let b[n] = sum[k](i64(if edge[k] <= x[n] then 1 else 0));
    y[b[n]] += 1;
}
dim S in 0..=100000;
export fn bins_bool(x: f32[N], edge: f32[S], v: f32[S + 1]) -> (y: f32[N]) {
    y[n] = v[sum[s](edge[s] <= x[n])];
}
check bins(N = 101, K = 7);
check bins_bool(N = 37, S = 6);

/// The gradient of a running maximum goes to the element that was the largest so far.
export fn running_max_grad(x: f32[M, N], dy: f32[M, N]) -> (dx: f32[M, N]) {
    let at[i, j in N] = argmax[k where k <= j](x[i, k]);
    dx[i, at[i, j]] += dy[i, j];
}
check running_max_grad(M = 3, N = 33);

/// Two statements about different indices in one: each holds by itself. And about values that are computed.
export fn pick(x: f32[H, W], r: i32[P], c: i32[Q]) -> (y: f32[P, Q]) {
    assume 0 <= r[p] && 0 <= c[q] && r[p] < H && c[q] < W;
    y[p, q] = x[r[p], c[q]];
}
check pick(H = 3, W = 5, P = 7, Q = 4);

export fn scaled(x: f32[H], f: f32[P]) -> (y: f32[P]) {
    let at[p] = i32(floor(f[p] * f32(H)));
    assume 0 <= at[p] && at[p] < H;
    y[p] = x[at[p]];
}
check scaled(H = 3, P = 17) with f in 0.0..1.0;

/// Pieces by conditions that are no two halves: each is what the one before leaves.
export fn rotate_part(x: f16[T, E], c: f32[T, D], s: f32[T, D]) -> (y: f16[T, E]) {
    require 2*D <= E;
    y[t, d] = x[t, d] * c[t, d] - x[t, d + D] * s[t, d] where d < D;
    y[t, d] = x[t, d] * c[t, d - D] + x[t, d - D] * s[t, d - D] where d >= D && d < 2*D;
    y[t, d] = x[t, d] where d >= 2*D;
}
export fn by_kind(x: f32[N], kind: i32[N]) -> (y: f32[N]) {
    y[n] = x[n] where kind[n] == 0 || n < 4;
    y[n] = 2 * x[n] where kind[n] != 0 && n >= 4 && kind[n] < 7;
    y[n] = 3 * x[n] where kind[n] >= 7 && n >= 4;
}
check rotate_part(T = 5, E = 11, D = 4);
check by_kind(N = 37);

/// A new key in each sequence's own place, which attention reads in the same call; rows of an odd number of half bytes.
export fn append(inout cache: bf16[B, G, T, D], k: bf16[B, G, D], at: i32[B], q: bf16[B, G, D]) -> (s: f32[B, G, T]) {
    assume 0 <= at[b] && at[b] < T;
    cache[b, g, at[b], d] = k[b, g, d];
    s[b, g, t] = sum[d](q[b, g, d] * new(cache)[b, g, t, d]);
}
export fn append4(inout cache: u4[B, T], k: u4[B], at: i32[B]) { cache[b, at[b]] = k[b] where 0 <= at[b] && at[b] < T; }
check append(B = 3, G = 2, T = 5, D = 9);
check append4(B = 33, T = 5) with at in 0..7;

/// What is not 0, close together: as many come before a place as there are places.
export fn pack(x: f32[N]) -> (y: f32[N], n: i64[]) {
    let at[i in N] = sum[k where k < i && x[k] > 0.0](1);
    y[at[i]] += x[i] where x[i] > 0.0;
    n[] = sum[i where x[i] > 0.0](1);
}
check pack(N = 67);
