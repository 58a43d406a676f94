// Softmax over rows of a matrix.
export fn softmax_block(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let m[r] = max[n](x[r, n]);
    let e[r, n] = exp(x[r, n] - m[r]);
    let z[r] = sum[n](e[r, n]);
    let w[r] = 1.0 / z[r];
    y[r, n] = e[r, n] * w[r];
}

check softmax_block(M = 1, N = 1);
check softmax_block(M = 3, N = 7);
check softmax_block(M = 37, N = 1021);
check softmax_block(M = 2, N = 4096);
check softmax_block(M = 5, N = 4095);
check softmax_block(M = 0, N = 8);
check softmax_block(M = 3, N = 0);
bench softmax_block(M = 16384, N = 4096);
