// The mean of the rows of each segment, whose beginnings are data.
export fn segment_mean_offsets(x: f32[T, D], off: i64[S + 1]) -> (y: f32[S, D]) {
    assume 0 <= off[s] && off[s] <= T;
    assume off[s] <= off[s + 1];
    y[s, d] = sum[t in off[s]..off[s + 1]](x[t, d]) / f32(max(off[s + 1] - off[s], 1));
}
check segment_mean_offsets(T = 103, D = 19, S = 7);
bench segment_mean_offsets(T = 524288, D = 256, S = 16384);
