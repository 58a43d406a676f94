// Subscripts that are data, guarded by data.
export fn gather(ids: i32[B], w: f32[V, D]) -> (y: f32[B, D], n: f32[B]) {
    y[b, d] = pad(w[ids[b], d], 0.0);
    n[b] = sqrt(sum[d in 0..D](pad(w[ids[b], d], 0.0) ** 2));
}
check gather(B = 13, V = 7, D = 45) with ids in -2..9;
check gather(B = 1, V = 1, D = 1) with ids in 0..1;
check gather(B = 3, V = 4, D = 0) with ids in 0..4;
check gather(B = 8, V = 5, D = 64) with ids in 0..5;
