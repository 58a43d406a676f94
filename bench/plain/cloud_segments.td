// Scans of different lengths behind each other: the centre and the box of each by its first point, and points without it.
export fn cloud_segments(p: f32[N, 4], first: i32[S + 1], which: i32[N]) -> (c: f32[S, 3], hi: f32[S, 3], y: f32[N, 4]) {
    assume 0 <= first[s] && first[s] <= N;
    assume first[s] <= first[s + 1];
    assume 0 <= which[n] && which[n] < S;
    c[s, a] = sum[n in first[s]..first[s + 1]](p[n, a]) / f32(max(first[s + 1] - first[s], 1));
    hi[s, a] = max[n in first[s]..first[s + 1]](p[n, a]);
    y[n, a] = if a < 3 then p[n, a] - c[which[n], a] else p[n, a];
}
check cloud_segments(N = 301, S = 7);
bench cloud_segments(N = 4000003, S = 64);
