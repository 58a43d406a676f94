// Random program 339; how it was drawn: DRAWN in wide.py.
export fn drawn_339(inout p0: f32[4*C]) { p0[i] = round(tanh(max[j in 0..4*C, k](p0[k]))) * p0[i]; }
check drawn_339(C = 33);
bench drawn_339(C = 3999999);
