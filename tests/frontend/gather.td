// Subscripts that are data: assumed to be in range, or padded.
export fn embedding(ids: i32[B, T], w: f16[V, D]) -> (y: f16[B, T, D]) {
    assume 0 <= ids[b, t] && ids[b, t] < V;
    y[b, t, d] = w[ids[b, t], d];
}

export fn gather_pad(ids: i64[N], w: f32[V, D]) -> (y: f32[N, D]) {
    y[n, d] = pad(w[ids[n], d], 0.0);
}

export fn segments(x: f32[N, D], start: i32[S + 1]) -> (y: f32[S, D]) {
    assume 0 <= start[s] && start[s] <= N;
    y[s, d] = sum[n in start[s]..start[s + 1]](x[n, d]);
}

// An assumption of two cases, one of which the guard excludes.
export fn ignored(x: f32[V], t: i64[N], none: i64) -> (y: f32[N], s: f32[]) {
    assume t[n] == none || 0 <= t[n] && t[n] < V;
    y[n] = if t[n] == none then 0.0 else x[t[n]];
    s[] = sum[n where !(t[n] == none)](x[t[n]]);
}
