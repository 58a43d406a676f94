// Softmax over rows of a matrix.
export fn softmax_stream(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let m[r] = max[n](x[r, n]);
    let e[r, n] = exp(x[r, n] - m[r]);
    let z[r] = sum[n](e[r, n]);
    y[r, n] = e[r, n] / z[r];
}

check softmax_stream(M = 1, N = 1);
check softmax_stream(M = 3, N = 1021);
check softmax_stream(M = 2, N = 8192);
check softmax_stream(M = 2, N = 12345);
check softmax_stream(M = 3, N = 0);
bench softmax_stream(M = 1024, N = 131072);
