// Random program 336; how it was drawn: DRAWN in wide.py.
export fn drawn_336(inout p1: bf16[33, A]) { p1[i, j] = p1[33 - 1 - i, max(j - 1, 0)]; }
check drawn_336(A = 13);
bench drawn_336(A = 969695);
