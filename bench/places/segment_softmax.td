// A softmax of each segment, whose beginnings are data.
export fn segment_softmax(x: f32[T], off: i64[S + 1], seg: i32[T]) -> (y: f32[T]) {
    assume 0 <= off[s] && off[s] <= T;
    assume off[s] <= off[s + 1];
    assume 0 <= seg[t] && seg[t] < S;
    let m[s in S] = max[t in off[s]..off[s + 1]](x[t]);
    let z[s in S] = sum[t in off[s]..off[s + 1]](exp(x[t] - m[s]));
    y[t] = exp(x[t] - m[seg[t]]) / z[seg[t]];
}
check segment_softmax(T = 103, S = 7);
bench segment_softmax(T = 17000000, S = 1000000);
