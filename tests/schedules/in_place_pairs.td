// Pairs that are changed in place, one piece for each of two.
export fn in_place_pairs(inout x: f32[T, H, 2 * D], c: f32[T, D]) {
    x[t, h, 2 * d] = x[t, h, 2 * d] * c[t, d] - x[t, h, 2 * d + 1];
    x[t, h, 2 * d + 1] = x[t, h, 2 * d + 1] * c[t, d] + x[t, h, 2 * d];
}
check in_place_pairs(T = 3, H = 2, D = 9);
check in_place_pairs(T = 2, H = 3, D = 1);
