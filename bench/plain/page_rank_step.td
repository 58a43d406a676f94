// A step of page rank over edges: shares of the rank, what nodes without links give to all, and the change.
export fn page_rank_step(rank: f32[V], src: i32[E], dst: i32[E], links: i32[V]) -> (y: f32[V], change: f32[]) {
    assume 0 <= src[e] && src[e] < V;
    assume 0 <= dst[e] && dst[e] < V;
    let lost[] = sum[v where links[v] == 0](rank[v]);
    let got[v in V] = sum[e where dst[e] == v](rank[src[e]] / f32(max(links[src[e]], 1)));
    y[v] = 0.15 / V + 0.85 * (got[v] + lost[] / V);
    change[] = sum[v](abs(y[v] - rank[v]));
}
check page_rank_step(V = 37, E = 203) with rank in 0.0..0.05, links in 0..9;
bench page_rank_step(V = 500003, E = 8000000) with rank in 0.0..0.000004, links in 0..9;
