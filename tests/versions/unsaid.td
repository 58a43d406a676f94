// What takes many times as long where nothing is said of lengths unless sizes of these kinds are asked about.

// Reductions, scans of them, and what reads both: three kernels where rows are few and long.
export fn running(x: f32[B, T, C]) -> (y: f32[B, T, C]) {
    let s[b, t] = sum[c](x[b, t, c]);
    let mu[b, t in T] = sum[k where k <= t](s[b, k]) / f32((t + 1) * C);
    y[b, t, c] = x[b, t, c] - mu[b, t];
}
check running(B = 3, T = 37, C = 13);
check running(B = 2, T = 300, C = 70);

// A way for as many rows as keys and more: its kernels have no axis of all rows.
export fn newest(inout table: f16[V, D], key: i32[N], row: f16[N, D]) {
    assume 0 <= key[n] && key[n] < V;
    table[key[n], d] = row[n, d];
}
check newest(V = 41, D = 13, N = 37);
check newest(V = 300, D = 40, N = 67);

// Few places, into which shares of all elements are scattered.
export fn by_key(key: u16[N], keep: bool[N], x: f32[N, 4]) -> (y: f32[G, 4]) {
    assume key[n] < G;
    y[g, c] = sum[n where key[n] == g && keep[n]](x[n, c]);
}
check by_key(N = 303, G = 17);
check by_key(N = 9001, G = 1200);

// One length alone, of which the longest would fold too many elements: what moves begin from is another one.
export fn discounted(d: f32[E, 128], ends: i32[E, 128]) -> (a: f32[E, 128]) {
    a[e, t] = sum[k where k >= t && ends[e, k] == ends[e, t]](0.9405 ** (k - t) * d[e, k]);
}
check discounted(E = 3);
check discounted(E = 70) with ends in 0..3;

// Few keys of few owners: a search, which is one launch, where a sort and what follows it are several.
export fn by_token(g: bf16[T, D], ids: i64[T]) -> (dw: bf16[V, D]) {
    assume 0 <= ids[t] && ids[t] < V;
    dw[i, d] = sum[t where ids[t] == i](g[t, d]);
}
check by_token(T = 8, D = 41, V = 13);
check by_token(T = 2048, D = 72, V = 600);
