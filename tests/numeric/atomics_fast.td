// Sums by keys under atomics = fast: by updates where that is quickest, which the sizes of the bench lines say. clause 5.9 9.10
option atomics = fast;

export fn table(t: f32[V, D], e: bf16[N, D], ids: i64[N]) -> (g: f32[V, D]) {
    assume 0 <= ids[n] && ids[n] < V;
    g[i, d] = t[i, d] + sum[n where ids[n] == i](e[n, d]);
}
export fn in_place(inout w: f32[V, D], e: f32[N, D], ids: i32[N], scale: f32) {
    w[ids[n], d] += scale * e[n, d] where 0 <= ids[n] && ids[n] < V;
}
// Several updates of one tensor, and sums of several factors.
export fn several(a: f32[N, D], b: f32[M, D], i: i32[N], j: i32[M]) -> (y: f32[V, D]) {
    assume 0 <= i[n] && i[n] < V;
    assume 0 <= j[m] && j[m] < V;
    y[i[n], d] += a[n, d] * a[n, d];
    y[j[m], d] += b[m, d];
}
// Old values of 16 bits are rounded once.
export fn narrow(inout w: f16[V, D], e: f16[N, D], ids: i32[N]) -> (h: bf16[V, D]) {
    assume 0 <= ids[n] && ids[n] < V;
    w[ids[n], d] += e[n, d];
    h[ids[n], d] += e[n, d];
}
export fn mean_of(x: f32[N, D], ids: i32[N]) -> (y: f32[S, D]) {
    let n[i] = sum[t where ids[t] == i](1);
    let s[i, d] = sum[t where ids[t] == i](x[t, d]);
    y[i, d] = s[i, d] / f32(max(n[i], 1));
}
// What is folded beside the key's variable, conditions, the owner in what is added, keys of two variables.
export fn beside(x: f32[N, K, D], ids: i32[N], keep: bool[N], w: f32[V]) -> (y: f32[V, D], z: f32[V], c: f64[V]) {
    y[v, d] = sum[n, k where keep[n] && ids[n] == v && k % 2 == 0](x[n, k, d] * w[v]);
    z[v] = sum[n, d where ids[n] == v](x[n, 0, d]);
    c[v] = sum[n where w[v] > 0.0 && ids[n] == v](f64(w[v]) + f64(x[n, 0, 0]));
    require K >= 1 && D >= 1;
}
export fn two_keys(x: f32[B, N], row: i32[B, N], col: i32[B, N]) -> (y: f32[B, R, C], s: f32[R]) {
    y[b, r, c] = sum[n where row[b, n] == r && col[b, n] == c](x[b, n]);
    s[r] = sum[b, n where row[b, n] == r](x[b, n]);
}
// The sums are read at other places than their own, and by sums.
export fn degrees(from: i32[E], to: i32[E], w: f32[E]) -> (y: f32[N]) {
    assume 0 <= from[e] && from[e] < N;
    assume 0 <= to[e] && to[e] < N;
    let d[n in N] = sum[e where to[e] == n](w[e]);
    y[n] = sum[e where to[e] == n](w[e] * d[from[e]]);
}
check table(V = 37, N = 101, D = 24);
check table(V = 37, N = 101, D = 7);
check table(V = 1, N = 300, D = 8);
check table(V = 5, N = 0, D = 8);
check table(V = 5, N = 1, D = 1);
check in_place(V = 37, N = 101, D = 7, scale = 0.5) with ids in -5..50;
check in_place(V = 37, N = 101, D = 64, scale = 0.5) with ids in 3..4;
check in_place(V = 3, N = 0, D = 4, scale = 0.5);
check several(N = 101, M = 55, D = 9, V = 17);
check several(N = 0, M = 55, D = 8, V = 17);
check narrow(V = 37, N = 101, D = 6);
check narrow(V = 1, N = 101, D = 1);
check mean_of(N = 101, S = 37, D = 24) with ids in -1..40;
check mean_of(N = 0, S = 5, D = 8);
check beside(N = 55, K = 5, D = 6, V = 11);
check beside(N = 1, K = 1, D = 1, V = 1);
check two_keys(B = 3, N = 55, R = 5, C = 6) with row in -1..6, col in 0..7;
check two_keys(B = 1, N = 0, R = 5, C = 6);
check degrees(E = 101, N = 23);
check degrees(E = 0, N = 23);
bench table(V = 1024, N = 8192, D = 64);
bench in_place(V = 50257, N = 8192, D = 256, scale = 1.0);
bench several(N = 8192, M = 4096, D = 64, V = 4096);
bench narrow(V = 4096, N = 8192, D = 64);
bench mean_of(N = 8192, S = 4096, D = 64);
bench beside(N = 8192, K = 4, D = 64, V = 4096);
bench two_keys(B = 4, N = 4096, R = 64, C = 64);
bench degrees(E = 16384, N = 8192);
