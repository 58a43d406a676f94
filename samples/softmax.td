/// Softmax over the rows of a matrix.
export fn softmax(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp(x[i, j] - m[i]));
    y[i, j] = exp(x[i, j] - m[i]) / s[i];
}

check softmax(M = 1, N = 1);
check softmax(M = 37, N = 1021);
check softmax(M = 3, N = 4096);
bench softmax(M = 16384, N = 4096);
