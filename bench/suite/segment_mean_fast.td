// The mean of the rows of each segment, whose sums may come in any order.
option atomics = fast;
export fn segment_mean_fast(x: f32[T, D], ids: i64[T]) -> (y: f32[S, D]) {
    assume 0 <= ids[t] && ids[t] < S;
    let n[i] = sum[t where ids[t] == i](1);
    let s[i, d] = sum[t where ids[t] == i](x[t, d]);
    y[i, d] = s[i, d] / f32(max(n[i], 1));
}

check segment_mean_fast(T = 101, S = 37, D = 24);
check segment_mean_fast(T = 3, S = 300, D = 1);
check segment_mean_fast(T = 0, S = 5, D = 8);
bench segment_mean_fast(T = 524288, S = 16384, D = 256);
