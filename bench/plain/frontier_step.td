// Breadth first: nodes that the frontier reaches over an edge and that have no level yet.
export fn frontier_step(inout level: i32[V], src: i32[E], dst: i32[E], depth: i32) -> (found: i32[]) {
    assume 0 <= src[e] && src[e] < V;
    assume 0 <= dst[e] && dst[e] < V;
    let reached[v in V] = any[e where dst[e] == v](level[src[e]] == depth);
    level[v] = if level[v] < 0 && reached[v] then depth + 1 else level[v];
    found[] = sum[v](level[v] < 0 && reached[v]);
}
check frontier_step(V = 37, E = 101, depth = 2) with level in -1..4;
bench frontier_step(V = 1000003, E = 6000000, depth = 2) with level in -1..4;
