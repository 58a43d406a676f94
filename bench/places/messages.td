// What comes along the edges of a graph, added at their ends.
export fn messages(x: f32[E, D], dst: i64[E]) -> (y: f32[V, D]) {
    assume 0 <= dst[e] && dst[e] < V;
    y[dst[e], d] += x[e, d];
}
check messages(E = 101, D = 12, V = 17);
bench messages(E = 100000, D = 256, V = 10000);
