// Random program 120; how it was drawn: DRAWN in wide.py.
export fn drawn_120(x0: i32[A], x1: f16[A, B + 2]) -> (y3: f32[B + C]) {
    assume 0 <= x0[a] && x0[a] < B + C;
    y3[x0[i]] max= max[j in 0..B + 2](if x0[max(i - 1, 0)] > x0[i] then trunc(x1[i, j]) else (x1[i, j] - 1.0));
}
check drawn_120(A = 19, B = 5, C = 8);
bench drawn_120(A = 5651, B = 5651, C = 5651);
