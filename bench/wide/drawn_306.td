// Random program 306; how it was drawn: DRAWN in wide.py.
export fn drawn_306(x0: f32[A + C, C]) -> (y1: f32[A + C, C]) { y1[i, j] = x0[i, j]; }
check drawn_306(A = 5, C = 13);
bench drawn_306(A = 1999, C = 1999);
