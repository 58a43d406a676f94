// The same beside rows of features, whose elements neighbours have.
export fn features(x: f64[T, D], k: i64[T]) -> (y: f64[V, D], most: i64[V]) {
    y[v, d] = sum[t where k[t] == v && t > 0](x[t, d]);
    most[v] = max[t where k[t] == v](t);
}
check features(T = 130, D = 37, V = 6) with k in 0..6;
check features(T = 7, D = 1, V = 40) with k in -3..50;
check features(T = 1, D = 64, V = 1) with k in 0..1;
