// Random program 105; how it was drawn: DRAWN in wide.py.
export fn drawn_105(x0: f32[C]) -> (y1: bf16[C, A]) { y1[i, j] = acos(0.9 * tanh(x0[i])); }
check drawn_105(C = 13, A = 21);
bench drawn_105(C = 5655, A = 5655);
