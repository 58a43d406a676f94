// Folds over keys whose ranges may be long: chunks, and chunks of chunks. A sum over two variables of which one is of
// the range; what depends on the owner; a position.
dim T hint 10000000;
export fn chunked(ids: i32[T], x: f32[T, R], low: f32[V]) -> (y: f32[V], first: i64[V]) {
    y[v] = sum[t, r where ids[t] == v && x[t, r] > low[v]](x[t, r] - low[v]);
    first[v] = argmin[t where ids[t] == v](i32(t) % 97);
}
