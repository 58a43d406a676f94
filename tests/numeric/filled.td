// Rows that reach into the last register of a thread, and end before it, in it and at its end: maxima are of pairs
// there, and sums are of several that do not wait for each other.
import "nn";
export fn rows(x: bf16[M, N]) -> (y: bf16[M, N]) { y = softmax(x); }
check rows(M = 1, N = 131072);
check rows(M = 1, N = 122888);
check rows(M = 1, N = 122880);
check rows(M = 3, N = 1928);
check rows(M = 5, N = 8);

export fn least(x: f16[M, N]) -> (y: f16[M], z: f16[M, N]) {
    y[i] = min[j](x[i, j]);
    z[i, j] = x[i, j] - y[i];
}
check least(M = 1, N = 122888);
check least(M = 3, N = 1032);
