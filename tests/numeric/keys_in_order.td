// Reductions by keys of which the program says that they stand in order: no sort, positions one beside the other. All
// monoids, positions as results, counts, keys with gaps, beyond the owners, of several types; and softmaxes by them.
export fn folds(x: f32[T], key: i32[T]) -> (s: f32[V], m: f32[V], at: i64[V], n: i64[V], last: i64[V], first: f32[V]) {
    assume 0 <= key[t];
    assume key[t] <= key[t + 1];
    s[v] = sum[t where key[t] == v](x[t]);
    m[v] = max[t where key[t] == v && x[t] > 0.1](x[t]);
    at[v] = argmin[t where key[t] == v](x[t]);
    n[v] = sum[t where key[t] == v](1);
    last[v] = max[t where key[t] == v](t);
    first[v] = if n[v] > 0 then pad(x[min[t where key[t] == v](t)], 0) else 0;
}
export fn rows(x: bf16[T, D], key: i64[T]) -> (y: bf16[V, D]) {
    assume 0 <= key[t] && key[t] < V;
    assume key[t] <= key[t + 1];
    y[key[t], d] += x[t, d];
}
export fn bytes(x: f32[T], key: u8[T]) -> (y: f32[200]) {
    assume key[t] <= key[t + 1];
    y[v] = sum[t where key[t] == v](x[t]);
}
export fn softmax(x: f32[T], key: i32[T]) -> (y: f32[T], z: f32[V]) {
    assume 0 <= key[t] && key[t] < V;
    assume key[t] <= key[t + 1];
    let m[v in V] = max[t where key[t] == v](x[t]);
    z[v] = sum[t where key[t] == v](exp(x[t] - m[v]));
    y[t] = exp(x[t] - m[key[t]]) / z[key[t]];
}
// They may be negative: these stand before the others, and must be told from them.
export fn below(x: f32[T], key: i32[T]) -> (y: f32[V]) {
    assume key[t] <= key[t + 1];
    y[v] = sum[t where key[t] == v](x[t]);
}

check folds(T = 3000, V = 40) with key in 0..40;
check folds(T = 900, V = 3) with key in 0..9;
check folds(T = 70, V = 700) with key in 0..699;
check folds(T = 0, V = 5);
check folds(T = 1, V = 1);
check rows(T = 700, D = 5, V = 30);
check rows(T = 2000, D = 24, V = 3); // check-all
check rows(T = 3, D = 8, V = 300); // check-all
check bytes(T = 5000) with key in 0..255;
check softmax(T = 6000, V = 4); // check-all
check softmax(T = 500, V = 300);
check below(T = 900, V = 40) with key in -9..40;
