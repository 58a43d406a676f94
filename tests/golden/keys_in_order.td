// Keys that are said to stand in order are not sorted; such that may be negative are.
export fn in_order(x: f32[T, D], key: i64[T]) -> (y: f32[V, D]) {
    assume 0 <= key[t] && key[t] < V;
    assume key[t] <= key[t + 1];
    y[v, d] = sum[t where key[t] == v](x[t, d]);
}
export fn negative(x: f32[T, D], key: i64[T]) -> (y: f32[V, D]) {
    assume key[t] <= key[t + 1];
    y[v, d] = sum[t where key[t] == v](x[t, d]);
}
