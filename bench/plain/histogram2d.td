// How many points of the unit square lie in each cell of a grid.
export fn histogram2d(p: f32[N, 2]) -> (n: i32[G, G]) {
    require G >= 1;
    n[clamp(i32(p[k, 0] * G), 0, G - 1), clamp(i32(p[k, 1] * G), 0, G - 1)] += 1;
}
check histogram2d(N = 501, G = 7) with p in 0.0..1.0;
bench histogram2d(N = 8000000, G = 128) with p in 0.0..1.0;
