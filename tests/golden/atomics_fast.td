// Sums by keys as updates of what they are added to; those of 16 bits and means have a let of their own.
option atomics = fast;
export fn atomics_fast(t: f32[V, D], ids: i32[N], g: f32[N, D], inout w: f32[V, D], inout h: bf16[V, D]) -> (y: f32[V, D], top: i32[V]) {
    assume 0 <= ids[n] && ids[n] < V;
    y[v, d] = t[v, d] + sum[n where ids[n] == v](g[n, d]);
    w[ids[n], d] += 0.5 * g[n, d];
    h[ids[n], d] += g[n, d];
    top[ids[n]] max= i32(n);
}
bench atomics_fast(V = 4096, N = 8192, D = 64);
