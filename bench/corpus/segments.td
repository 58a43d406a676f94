// Segments: rows of lengths that are data, and rows that data choose.
export fn seg_sum(x: f32[T, D], off: i64[B + 1]) -> (y: f32[B, D]) {
    assume 0 <= off[b] && off[b] <= T;
    y[b, d] = sum[t in off[b]..off[b + 1]](x[t, d]);
}
bench seg_sum(T = 524288, D = 64, B = 8192) with off in 0..T;
bench seg_sum(T = 100000, D = 333, B = 1000) with off in 0..T;
bench seg_sum(T = 2000000, D = 8, B = 100000) with off in 0..T;
bench seg_sum(T = 300000, D = 128, B = 30000) with off in 0..T;
bench seg_sum(T = 1000000, D = 32, B = 1000) with off in 0..T;

export fn seg_max(x: bf16[T, D], off: i32[B + 1]) -> (y: bf16[B, D]) {
    assume 0 <= off[b] && off[b] <= T;
    y[b, d] = max[t in off[b]..off[b + 1]](x[t, d]);
}
bench seg_max(T = 262144, D = 256, B = 4096) with off in 0..T;
bench seg_max(T = 500000, D = 100, B = 200) with off in 0..T;
bench seg_max(T = 1000000, D = 64, B = 50000) with off in 0..T;
bench seg_max(T = 200000, D = 500, B = 10000) with off in 0..T;

export fn seg_line(x: f32[T], off: i32[B + 1]) -> (y: f32[B]) {
    assume 0 <= off[b] && off[b] <= T;
    y[b] = sum[t in off[b]..off[b + 1]](x[t]);
}
bench seg_line(T = 33554432, B = 32768) with off in 0..T;
bench seg_line(T = 33554432, B = 1048576) with off in 0..T;
bench seg_line(T = 20000000, B = 200) with off in 0..T;
bench seg_line(T = 10000000, B = 2000000) with off in 0..T;

export fn seg_bags(w: f16[V, D], ids: i32[L], off: i32[B + 1]) -> (y: f32[B, D]) {
    assume 0 <= ids[l] && ids[l] < V;
    assume 0 <= off[b] && off[b] <= L;
    y[b, d] = sum[l in off[b]..off[b + 1]](f32(w[ids[l], d]));
}
bench seg_bags(V = 100000, D = 128, L = 400000, B = 16384) with ids in 0..V, off in 0..L;
bench seg_bags(V = 20000, D = 64, L = 600000, B = 60000) with ids in 0..V, off in 0..L;
bench seg_bags(V = 50000, D = 256, L = 200000, B = 4000) with ids in 0..V, off in 0..L;
bench seg_bags(V = 1000000, D = 32, L = 1000000, B = 100000) with ids in 0..V, off in 0..L;

export fn seg_take(w: bf16[V, D], ids: i32[N]) -> (y: bf16[N, D]) {
    assume 0 <= ids[n] && ids[n] < V;
    y[n, d] = w[ids[n], d];
}
bench seg_take(V = 50000, D = 768, N = 65536) with ids in 0..V;
bench seg_take(V = 1000000, D = 32, N = 1000000) with ids in 0..V;
bench seg_take(V = 30000, D = 1000, N = 50000) with ids in 0..V;
bench seg_take(V = 10000, D = 128, N = 500000) with ids in 0..V;

export fn seg_softmax(x: f32[T], off: i32[B + 1]) -> (y: f32[B]) {
    assume 0 <= off[b] && off[b] <= T;
    let m[b in B] = max[t in off[b]..off[b + 1]](x[t]);
    y[b] = m[b] + log(sum[t in off[b]..off[b + 1]](exp(x[t] - m[b])));
}
bench seg_softmax(T = 16777216, B = 65536) with off in 0..T;
bench seg_softmax(T = 16777216, B = 4096) with off in 0..T;
bench seg_softmax(T = 10000000, B = 500000) with off in 0..T;
