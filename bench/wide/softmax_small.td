// A softmax of few rows.
import "nn";
export fn softmax_small(x: f32[M, N]) -> (y: f32[M, N]) { y = softmax(x); }
check softmax_small(M = 3, N = 37);
bench softmax_small(M = 1000, N = 257);
