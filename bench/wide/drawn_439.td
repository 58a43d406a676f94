// Random program 439; how it was drawn: DRAWN in wide.py.
export fn drawn_439(x0: f32[5*B]) -> (y1: f32[A*B, 5*B]) {
    y1[i, j] = fma(f16(atan2((x0[j] ** 2), x0[j])), sign(x0[j]), 0.5) ** 3;
}
check drawn_439(A = 3, B = 5);
bench drawn_439(A = 147, B = 147);
