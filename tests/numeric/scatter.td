// Plain equations at places that are data: the last value counts, other elements are as the other equations say. clause 5.13

export fn rows(e: f32[T, D], ids: i32[T]) -> (y: f32[V, D]) {
    assume 0 <= ids[t] && ids[t] < V;
    y[ids[t], d] = e[t, d];
    y[i, d] = 0;
}
export fn kept(inout w: bf16[V, D], e: bf16[T, D], ids: i32[T]) {
    w[ids[t], d] = e[t, d] where 0 <= ids[t] && ids[t] < V;
}
export fn two(e: i8[A, B], at: i32[A, B]) -> (y: i8[V]) {
    assume 0 <= at[a, b] && at[a, b] < V;
    y[at[a, b]] = e[a, b];
    y[i] = -1;
}
export fn pieces(e: f32[T], ids: i32[T], z: f32[N], w: f32[N]) -> (y: f32[2*N]) {
    assume 0 <= ids[t] && ids[t] < 2*N;
    y[2*i] = z[i];
    y[2*i + 1] = w[i];
    y[ids[t]] = e[t];
}
fn put(inout w: f32[V, D], e: f32[T, D], ids: i32[T]) {
    assume 0 <= ids[t] && ids[t] < V;
    w[ids[t], d] = e[t, d];
}
export fn called(inout w: f32[V, D], e: f32[T, D], ids: i32[T]) -> (s: f32[V]) {
    put(w, e, ids);
    s[i] = sum[d](new(w)[i, d]);
}
fn spread(e: f32[T], ids: i32[T]) -> (y: f32[V]) {
    assume 0 <= ids[t] && ids[t] < V;
    y[ids[t]] = e[t];
    y[i] = 2;
}
export fn each(e: f32[B, T], ids: i32[B, T]) -> (y: f32[B, V]) {
    assume 0 <= ids[b, t] && ids[b, t] < V;
    y[b, i] = spread(e[b, ...], ids[b, ...], V = V)[i];
}
export fn columns(e: f32[T, D], ids: i32[T, D]) -> (y: f32[V, D]) {
    assume 0 <= ids[t, d] && ids[t, d] < V;
    y[ids[t, d], d] = e[t, d];
    y[i, d] = 0;
}
check rows(T = 101, V = 7, D = 5);
check rows(T = 1, V = 7, D = 8);
check rows(T = 0, V = 7, D = 8);
check kept(T = 101, V = 70, D = 5) with ids in -3..90;
check kept(T = 0, V = 70, D = 5) with ids in -3..90; // check-all
check two(A = 5, B = 3, V = 11);
check pieces(N = 5, T = 7);
check called(T = 31, V = 17, D = 5);
check each(B = 3, T = 31, V = 17);
check columns(T = 31, V = 17, D = 8);

// Few keys among many owners: where starts lie far apart a warp writes those between, or all threads do.
export fn far_apart(x: f32[N], ids: i32[N]) -> (y: f32[V]) {
    assume 0 <= ids[t] && ids[t] < V;
    y[ids[t]] += x[t];
}
check far_apart(N = 100, V = 20000);
check far_apart(N = 3, V = 9000);
check far_apart(N = 9000, V = 33000) with ids in 32000..32100; // check-all
check far_apart(N = 0, V = 5000);
