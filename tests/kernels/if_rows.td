// Sums of even rows, maxima of odd ones.
export fn if_rows(x: f32[M, N]) -> (y: f32[M]) {
    y[r] = if r % 2 == 0 then sum[n](x[r, n]) else max[n](x[r, n]);
}

check if_rows(M = 5, N = 7);
check if_rows(M = 9, N = 128);
