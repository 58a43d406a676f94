// Random program 316; how it was drawn: DRAWN in wide.py.
fn f0(a) { let b = a * 0.5; let c = tanh(b); return b * c + c; }
export fn drawn_316(inout p0: bf16[2*C, 2*C]) { p0[i, j] = f0(p0[i, j - j % 4]) * j; }
check drawn_316(C = 9);
bench drawn_316(C = 2827);
