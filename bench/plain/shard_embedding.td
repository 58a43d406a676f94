// One part of a table of bytes that lies on several devices: rows of other parts are 0.
export fn shard_embedding(w: i8[V, D], s: f16[V], ids: i64[B, S], first: i64) -> (y: bf16[B, S, D]) {
    let k[b, i] = ids[b, i] - first;
    y[b, i, d] = if k[b, i] >= 0 && k[b, i] < V then f32(w[k[b, i], d]) * s[k[b, i]] * sqrt(f32(D)) else 0;
}
check shard_embedding(V = 41, D = 24, B = 3, S = 7, first = 50) with ids in 30..110;
bench shard_embedding(V = 32064, D = 1024, B = 8, S = 2048, first = 32064) with ids in 0..128256;
