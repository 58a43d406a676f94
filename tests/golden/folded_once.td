// What all values of a key have alike by the fold's own operator is folded in once, behind the loop over the values.
export fn folded_once(ids: i32[T], x: f32[M, V], w: f32[V, T]) -> (y: f32[M, V]) {
    y[i, v] = max[t where ids[t] == v](max(exp(x[i, v]), w[v, t]));
}
