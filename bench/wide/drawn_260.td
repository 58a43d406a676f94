// Random program 260; how it was drawn: DRAWN in wide.py.
export fn drawn_260(x2: bf16[B + 3, 5*A, B]) -> (y3: bf16[B + 3, B, 5*A]) { y3[i, j, k] = x2[i, k, j]; }
check drawn_260(A = 3, B = 7);
bench drawn_260(A = 145, B = 145);
