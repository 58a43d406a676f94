// The first elements of longer rows, of which nothing is said.
export fn part_rows(inout x: f32[N, P], V: int) {
    require 1 <= V && V <= P;
    x[n, v in V] = exp(x[n, v] - max[u in V](x[n, u])) / sum[u in V](exp(x[n, u] - max[w in V](x[n, w])));
}
