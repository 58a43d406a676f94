// A sparse matrix in coordinates, times a vector, and its transpose times another.
export fn coo_both_ways(v: f32[E], r: i32[E], c: i32[E], x: f32[N], z: f32[M]) -> (y: f32[M], w: f32[N], size: f32[]) {
    assume 0 <= r[e] && r[e] < M;
    assume 0 <= c[e] && c[e] < N;
    y[r[e]] += v[e] * x[c[e]];
    w[c[e]] += v[e] * z[r[e]];
    size[] = sqrt(sum[e](v[e] ** 2));
}
check coo_both_ways(E = 303, N = 41, M = 37);
bench coo_both_ways(E = 6000001, N = 300000, M = 200000);
