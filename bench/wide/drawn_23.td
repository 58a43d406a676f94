// Random program 23; how it was drawn: DRAWN in wide.py.
export fn drawn_23(x0: f32[A, A], x1: bool[A, A], x3: i32[B], x4: f16[]) -> (y2: f32[A, A], y5: f32[D]) {
    assume 0 <= x3[a] && x3[a] < D;
    y2[i, j] = x0[j, j] where i < 2;
    y2[i, j] = f32(!x1[i, j]) where i >= 2;
    y5[x3[i]] max= x4[];
}
check drawn_23(A = 13, B = 11, D = 7);
bench drawn_23(A = 2665, B = 2665, D = 2665);
