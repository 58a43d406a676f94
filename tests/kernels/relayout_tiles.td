// A transposed copy and the maxima of rows.
export fn relayout_tiles(x: f32[B, M, N]) -> (y: f32[B, N, M], z: f32[B, M]) {
    y[b, j, i] = x[b, i, j] * 2.0;
    z[b, i] = max[j](x[b, i, j]);
}

check relayout_tiles(B = 3, M = 5, N = 7);
check relayout_tiles(B = 2, M = 33, N = 32);
