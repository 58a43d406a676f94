// Accumulation at places that are data, by sorts: keys of all types, several folds over equal keys, several keys, keys
// that are computed, guarded, out of range, all equal or all different; all monoids; inouts and intermediates.

export fn embedding(ids: i64[T], g: f16[T, D], inout dw: f32[V, D]) {
    assume 0 <= ids[t] && ids[t] < V;
    dw[ids[t], d] += g[t, d];
}
check embedding(T = 1021, V = 37, D = 5);
check embedding(T = 5, V = 600, D = 1);
check embedding(T = 0, V = 3, D = 2);
check embedding(T = 9, V = 1, D = 65);
check embedding(T = 8193, V = 600, D = 1);

// One sort for a count, a sum and a maximum; the keys may lie outside.
export fn means(x: f32[T, D], ids: i32[T]) -> (mean: f32[S, D], top: f32[S, D], n: i32[S]) {
    let s[i, d] = sum[t where ids[t] == i](x[t, d]);
    let c[i] = sum[t where ids[t] == i](1);
    mean[i, d] = s[i, d] / f32(max(c[i], 1));
    top[i, d] = max[t where i == ids[t]](x[t, d]);
    n[i] = i32(c[i]);
}
check means(T = 4099, S = 300, D = 3) with ids in -7..330; // check-all
check means(T = 70, S = 5, D = 1) with ids in 5..6;
check means(T = 1, S = 1, D = 1);
check means(T = 0, S = 4, D = 4);
check means(T = 4, S = 0, D = 4);

// Bins beside those that a block sums up, more than one tile of sums has, and more than there are keys; one.
export fn histogram(ids: u32[T]) -> (y: i64[S]) { y[i] = sum[t where i64(ids[t]) == i](i64(1)); }
check histogram(T = 100, S = 300000) with ids in 0..300001; // check-all
check histogram(T = 9001, S = 8193) with ids in 0..8200;
check histogram(T = 1000, S = 8192) with ids in 0..8192;
check histogram(T = 5000, S = 257) with ids in 0..600;
check histogram(T = 0, S = 10000) with ids in 0..1;
check histogram(T = 300, S = 1) with ids in 0..2;

export fn bytes(ids: u8[A, B], w: i32[A, B]) -> (y: i32[256], z: i32[256]) {
    y[i] = i32(sum[a, b where i64(ids[a, b]) == i](1));
    z[i] = sum[a, b where i64(ids[a, b]) == i](w[a, b]);
}
check bytes(A = 67, B = 129); // check-all
check bytes(A = 1, B = 1);

// All keys are equal; all are different: a permutation.
export fn one_place(ids: i32[T], x: f32[T]) -> (y: f32[S]) {
    assume 0 <= ids[t] && ids[t] < 1;
    y[i] = sum[t where i64(ids[t]) * 3 + 2 == i](x[t]);
}
check one_place(T = 12289, S = 5); // check-all
check one_place(T = 3, S = 2);

export fn all_places(ids: i32[T], x: f32[T]) -> (y: f32[T]) {
    assume 0 <= ids[t] && ids[t] < 1;
    y[i] = sum[t where (t * 7 + i64(ids[t])) % 4096 == i](x[t]);
}
check all_places(T = 4096); // check-all
check all_places(T = 1);

// Each row has keys of its own; two keys at once; a range that does not begin at 0.
export fn batched(x: f32[B, K], ids: i32[B, K]) -> (y: f32[B, N]) {
    assume 0 <= ids[b, k] && ids[b, k] < N;
    y[b, ids[b, k]] += x[b, k];
}
check batched(B = 33, K = 201, N = 19);
check batched(B = 1, K = 1, N = 1);
check batched(B = 3, K = 0, N = 7);

export fn joint(a: i32[T], b: i64[T], x: f64[T]) -> (y: f64[M, N]) {
    assume 0 <= a[t] && a[t] < M && 0 <= b[t] && b[t] < N;
    y[a[t], b[t]] += x[t];
}
check joint(T = 2111, M = 31, N = 57); // check-all
check joint(T = 301, M = 11, N = 13);
check joint(T = 2, M = 1, N = 3);

export fn inner(a: i32[P, Q], x: f32[P, Q, R]) -> (y: f32[N]) {
    y[i] = sum[p in 1..P - 1, r, q where a[p, q] == i && x[p, q, r] > 0](x[p, q, r]);
}
check inner(P = 20, Q = 13, R = 5, N = 29) with a in 0..29;
check inner(P = 2, Q = 13, R = 5, N = 29) with a in 0..29;

// What protects the key stands before it.
export fn guarded(a: i32[T], b: i32[U], x: f32[T]) -> (y: f32[N]) {
    y[i] = sum[t where 0 <= a[t] && a[t] < U && b[a[t]] == i && t % 3 != 1](x[t]);
}
check guarded(T = 1023, U = 40, N = 30) with a in -20..60, b in -3..33;
check guarded(T = 10, U = 0, N = 4) with a in -20..60;

// First of equal ones, where the order is another; booleans; a product; least and largest.
export fn extremes(ids: i32[T], x: f32[T], k: i32[T])
    -> (at: i64[N], low: i64[N], any_: bool[N], all_: bool[N], p: f32[N], least: i32[N]) {
    at[i] = argmax[t where ids[t] == i](x[t]);
    low[i] = argmin[t where ids[t] == i](k[t] % 4);
    any_[i] = any[t where ids[t] == i](x[t] > 1.5);
    all_[i] = all[t where ids[t] == i](x[t] > -1.5);
    p[i] = prod[t where ids[t] == i](1 + 0.05 * tanh(x[t]));
    least[i] = min[t where ids[t] == i](k[t]);
}
check extremes(T = 777, N = 50) with ids in 0..60, k in -100..100;
check extremes(T = 1, N = 2) with ids in 0..2, k in 0..3;
check extremes(T = 0, N = 2);

// The keys are an intermediate, and what is accumulated is read elsewhere.
export fn looked_up(table: i32[N], ids: i32[T], x: bf16[T]) -> (y: f32[T], z: bf16[M]) {
    assume 0 <= ids[t] && ids[t] < N;
    let key[t] = table[ids[t]] % 17;
    let s[m] = sum[t where key[t] == m](x[t]);
    y[t] = x[t] + sum[m in 0..M where m == t % M](s[m]);
    z[m] = s[m];
}
check looked_up(N = 55, T = 450, M = 20) with table in 0..1000;
check looked_up(N = 1, T = 1, M = 1) with table in 0..2;

// Old values are read, and rounded once.
export fn updated(ids: i32[T], x: f16[T], inout h: f16[V], inout n: i32[V]) {
    assume 0 <= ids[t] && ids[t] < V;
    h[ids[t]] += x[t];
    n[ids[t]] max= i32(t);
}
check updated(T = 2500, V = 130);
check updated(T = 1, V = 1);
check updated(T = 0, V = 1);
