// Aggregation in a graph convolution: neighbours by the roots of the degrees of both ends.
export fn gcn_step(h: f16[V, D], src: i32[E], dst: i32[E]) -> (y: f16[V, D]) {
    assume 0 <= src[e] && src[e] < V;
    assume 0 <= dst[e] && dst[e] < V;
    let deg[v in V] = sum[e where dst[e] == v](1);
    let inv[v] = rsqrt(f32(max(deg[v], 1)));
    y[v, d] = inv[v] * sum[e where dst[e] == v](h[src[e], d] * inv[src[e]]);
}
check gcn_step(V = 19, D = 13, E = 101);
bench gcn_step(V = 100003, D = 64, E = 1000000);
