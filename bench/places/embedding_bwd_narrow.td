// The gradient of a table of narrow embeddings.
export fn embedding_bwd_narrow(g: bf16[T, D], ids: i64[T]) -> (dw: bf16[V, D]) {
    assume 0 <= ids[t] && ids[t] < V;
    dw[ids[t], d] += g[t, d];
}
check embedding_bwd_narrow(T = 101, V = 37, D = 24);
bench embedding_bwd_narrow(T = 100000, V = 50000, D = 256);
