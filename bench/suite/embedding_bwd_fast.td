// The gradient of a table of embeddings, whose sums may come in any order.
option atomics = fast;
export fn embedding_bwd_fast(g: bf16[T, D], ids: i64[T]) -> (dw: bf16[V, D]) {
    assume 0 <= ids[t] && ids[t] < V;
    dw[i, d] = sum[t where ids[t] == i](g[t, d]);
}

check embedding_bwd_fast(T = 101, V = 37, D = 24);
check embedding_bwd_fast(T = 3, V = 300, D = 1);
check embedding_bwd_fast(T = 0, V = 5, D = 8);
bench embedding_bwd_fast(T = 65536, V = 50257, D = 1024);
