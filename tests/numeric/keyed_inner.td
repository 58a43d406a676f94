// Reductions in what is added at places that are data: of rows, before anything is put in order.
export fn scatter_mean(inout h: f32[V], ids: i32[N], g: f32[N, D]) {
    assume 0 <= ids[n] && ids[n] < V;
    h[ids[n]] += mean[d](g[n, d] ** 2);
}
check scatter_mean(V = 41, D = 19, N = 67) with ids in 0..V;
check scatter_mean(V = 3, D = 0, N = 7) with ids in 0..V;
check scatter_mean(V = 3, D = 5, N = 0) with ids in 0..V;
check scatter_mean(V = 1, D = 1, N = 1) with ids in 0..V; // check-all

// what is added next reads what has been
export fn rowwise(inout w: f32[V, D], inout h: f32[V], ids: i32[N], g: f32[N, D]) {
    assume 0 <= ids[n] && ids[n] < V;
    h[ids[n]] += mean[d](g[n, d] ** 2);
    w[ids[n], d] += -0.1 * g[n, d] / (sqrt(new(h)[ids[n]]) + 1e-8);
}
check rowwise(V = 41, D = 19, N = 67) with h in 0.0..1.0, ids in 0..V; // check-all

// of the owner, of what a condition says, and of another key
export fn kinds(ids: i32[N], g: f32[N, D], a: f32[V, D], k: i32[D]) -> (x: f32[V], y: f32[V], z: f32[V]) {
    assume 0 <= ids[n] && ids[n] < V;
    assume 0 <= k[d] && k[d] < N;
    require D > 0;
    x[v] = sum[n where i64(ids[n]) == v](max[d](g[n, d] * a[v, d]));
    y[v] = sum[n where i64(ids[n]) == v && k[n % D] > 2](sum[d where d < n](g[n, d]));
    z[v] = max[n where i64(ids[n]) == v](sum[d](g[k[d], d] + n));
}
check kinds(N = 23, D = 5, V = 7) with ids in 0..V, k in 0..N;
