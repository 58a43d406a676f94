// Messages with weights, added at the nodes where they go.
export fn weighted_scatter(x: f32[E, D], w: f32[E], to: i64[E]) -> (y: f32[V, D]) {
    assume 0 <= to[e] && to[e] < V;
    y[to[e], d] += w[e] * x[e, d];
}
check weighted_scatter(E = 101, D = 12, V = 17);
bench weighted_scatter(E = 200003, D = 128, V = 20000);
