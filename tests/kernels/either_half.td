// A load at one of two places, which a condition chooses that is the same for all elements of a vector where lengths are
// multiples of it: halves that are rotated, a row in registers and one that runs ahead in a loop.
export fn either_half(x: bf16[M, 2*D], c: f32[M, D]) -> (y: bf16[M, 2*D]) {
    y[i, d] = if d < D then x[i, d] * c[i, d] - x[i, d + D] else x[i, d] + x[i, d - D] * c[i, d - D];
}
check either_half(M = 3, D = 96);
check either_half(M = 3, D = 62);
check either_half(M = 3, D = 67);
check either_half(M = 3, D = 1);
check either_half(M = 3, D = 0);
