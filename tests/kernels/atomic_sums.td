// Sums of floats in any order, by atomics on elements and on vectors of them, also where rows end inside of a vector.
option atomics = fast;
export fn atomic_sums(ids: i32[M], x: f32[M, N], w: f32[M, 8]) -> (y: f32[V, N], z: f32[V, 8], n: i32[V]) {
    assume 0 <= ids[r] && ids[r] < V;
    y[v, c] = sum[r where ids[r] == v](x[r, c]);
    z[v, c] = sum[r where ids[r] == v](w[r, c]);
    n[v] = sum[r where ids[r] == v](1);
}

check atomic_sums(M = 33, N = 12, V = 3);
check atomic_sums(M = 70, N = 7, V = 1);
check atomic_sums(M = 1, N = 1, V = 5);
