// A transposed copy, doubled.
export fn relayout_tiles(x: f32[B, M, N]) -> (y: f32[B, N, M]) {
    y[b, j, i] = x[b, i, j] * 2.0;
}

check relayout_tiles(B = 3, M = 5, N = 7);
check relayout_tiles(B = 2, M = 33, N = 32);
