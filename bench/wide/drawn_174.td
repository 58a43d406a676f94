// Random program 174; how it was drawn: DRAWN in wide.py.
export fn drawn_174(x0: f32[A], x2: f32[A]) -> (y3: f16[A]) {
    y3[i] = x0[max(i - 1, 0)] where i < 2;
    y3[i] = x2[i] where i >= 2;
}
check drawn_174(A = 131);
bench drawn_174(A = 6399999);
