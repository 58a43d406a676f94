// Bags of rows of a table, each with a weight of its own.
export fn bag_weighted(table: bf16[V, D], ids: i32[L], w: bf16[L], off: i32[B + 1]) -> (y: bf16[B, D]) {
    assume 0 <= ids[l] && ids[l] < V;
    assume 0 <= off[b] && off[b] <= L;
    assume off[b] <= off[b + 1];
    y[b, d] = sum[l in off[b]..off[b + 1]](w[l] * table[ids[l], d]);
}
check bag_weighted(V = 41, D = 19, L = 203, B = 17);
bench bag_weighted(V = 200000, D = 128, L = 400000, B = 16384);
