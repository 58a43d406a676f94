// Attention of a graph: a softmax over the edges that end at each node, and its sums.
export fn edge_softmax(e: f32[E, H], dst: i64[E]) -> (a: f32[E, H], s: f32[V, H]) {
    assume 0 <= dst[k] && dst[k] < V;
    let m[v in V, h] = max[k where dst[k] == v](e[k, h]);
    s[v, h] = sum[k where dst[k] == v](exp(e[k, h] - m[v, h]));
    a[k, h] = exp(e[k, h] - m[dst[k], h]) / s[dst[k], h];
}
check edge_softmax(E = 101, H = 3, V = 17);
bench edge_softmax(E = 1000003, H = 8, V = 65536);
