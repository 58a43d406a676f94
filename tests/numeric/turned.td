// Registers of a thread that lie a product of lengths apart: rows of heads, and images, turned.
export fn heads(x: bf16[B, S, H, D]) -> (y: bf16[B, H, S, D]) { y[b, h, s, d] = x[b, s, h, d]; }
check heads(B = 3, S = 17, H = 3, D = 33);
check heads(B = 2, S = 40, H = 5, D = 64);
check heads(B = 1, S = 1, H = 1, D = 1);
check heads(B = 4, S = 0, H = 2, D = 8);

export fn reversed(x: f32[A, B, C]) -> (y: f32[C, B, A]) { y[c, b, a] = x[a, b, c]; }
check reversed(A = 9, B = 7, C = 35);
check reversed(A = 64, B = 3, C = 40);
check reversed(A = 1, B = 5, C = 1);
