// The gradient of a table of embeddings, and the mean of what was looked up: one sort of the keys serves three folds.
export fn embedding_bwd(ids: i32[T], g: bf16[T, D]) -> (dw: f32[V, D], seen: i32[V], last: i64[V]) {
    assume 0 <= ids[t] && ids[t] < V;
    dw[ids[t], d] += g[t, d];
    seen[ids[t]] += 1;
    last[v] = argmax[t where ids[t] == v](i32(t));
}
