// Random program 304; how it was drawn: DRAWN in wide.py.
export fn drawn_304() -> (y4: i16[B, B, 33]) { y4[i, j, k] = i16(i32(4 - j)); }
check drawn_304(B = 7);
bench drawn_304(B = 983);
