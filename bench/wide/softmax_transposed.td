// A softmax whose result lies transposed.
import "nn";
export fn softmax_transposed(x: bf16[B, M, N]) -> (y: bf16[B, N, M]) {
    let p = softmax(x);
    y[b, j, i] = p[b, i, j];
}
check softmax_transposed(B = 2, M = 13, N = 37);
bench softmax_transposed(B = 32, M = 1024, N = 777);
