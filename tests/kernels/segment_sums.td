// Sums over ranges whose bounds are loaded.
export fn segment_sums(off: i64[M + 1], x: f32[N]) -> (y: f32[M]) {
    assume 0 <= off[i] && off[i] <= N;
    y[r] = sum[j in off[r]..off[r + 1]](x[j]);
}

check segment_sums(M = 5, N = 7);
check segment_sums(M = 9, N = 700);
