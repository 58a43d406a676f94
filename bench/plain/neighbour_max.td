// The largest feature among a node's neighbours in compressed rows, its own where it has none.
export fn neighbour_max(h: f16[V, D], row: i32[V + 1], col: i32[E]) -> (y: f16[V, D], degree: i32[V]) {
    assume 0 <= col[e] && col[e] < V;
    assume 0 <= row[v] && row[v] <= E;
    assume row[v] <= row[v + 1];
    degree[v] = row[v + 1] - row[v];
    y[v, d] = if row[v + 1] > row[v] then max[e in row[v]..row[v + 1]](h[col[e], d]) else h[v, d];
}
check neighbour_max(V = 37, D = 13, E = 203);
bench neighbour_max(V = 200003, D = 96, E = 2000000);
