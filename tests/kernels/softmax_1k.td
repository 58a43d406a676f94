// Softmax over rows of a matrix.
export fn softmax_1k(x: bf16[M, 1024]) -> (y: bf16[M, 1024]) {
    let m[r] = max[n](x[r, n]);
    let e[r, n] = exp(x[r, n] - m[r]);
    let z[r] = sum[n](e[r, n]);
    let w[r] = 1.0 / z[r];
    y[r, n] = e[r, n] * w[r];
}

check softmax_1k(M = 1);
check softmax_1k(M = 3);
check softmax_1k(M = 37);
bench softmax_1k(M = 65536);
