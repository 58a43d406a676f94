// Rows that change in place by pieces: halves and pairs in one group; of pieces of other lengths each moves by itself.
export fn halves(inout x: f16[M, 2 * D], c: f32[M, D]) {
    x[i, d in D] = x[i, d] * c[i, d] - x[i, D + d];
    x[i, D + d in D] = x[i, D + d] * c[i, d] + x[i, d];
}
export fn pairs(inout x: f16[M, 2 * D], c: f32[M, D]) {
    x[i, 2 * d] = x[i, 2 * d] * c[i, d] - x[i, 2 * d + 1];
    x[i, 2 * d + 1] = x[i, 2 * d + 1] * c[i, d] + x[i, 2 * d];
}
export fn uneven(inout x: f16[M, 3 * D]) {
    x[i, d in D] = x[i, 3 * D - 1 - d];
    x[i, D + d in 2 * D] = x[i, 2 * D - 1 - d];
}
export fn scanned(inout x: f32[M, N]) { x[i, j] = sum[k in 0..j + 1](x[i, k]) + x[i, N - 1 - j]; }
