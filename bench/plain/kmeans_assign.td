// The nearest of a few centres for each point, and how far it is.
export fn kmeans_assign(x: f32[N, D], c: f32[K, D]) -> (label: i32[N], dist: f32[N]) {
    let d[n, k] = sum[i]((x[n, i] - c[k, i]) ** 2);
    label[n] = i32(argmin[k](d[n, k]));
    dist[n] = sqrt(min[k](d[n, k]));
}
check kmeans_assign(N = 101, D = 5, K = 7);
bench kmeans_assign(N = 1000003, D = 8, K = 12);
