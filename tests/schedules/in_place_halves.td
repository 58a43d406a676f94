// Halves that are changed in place, one piece for each.
export fn in_place_halves(inout x: f32[T, H, 2 * D], c: f32[T, D]) {
    x[t, h, d in D] = x[t, h, d] * c[t, d] - x[t, h, D + d];
    x[t, h, D + d in D] = x[t, h, D + d] * c[t, d] + x[t, h, D - 1 - d];
}
check in_place_halves(T = 3, H = 2, D = 9);
check in_place_halves(T = 2, H = 3, D = 1);
