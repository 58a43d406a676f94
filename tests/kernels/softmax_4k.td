// Softmax over rows of a matrix.
export fn softmax_4k(x: bf16[M, 4096]) -> (y: bf16[M, 4096]) {
    let m[r] = max[n](x[r, n]);
    let e[r, n] = exp(x[r, n] - m[r]);
    let z[r] = sum[n](e[r, n]);
    let w[r] = 1.0 / z[r];
    y[r, n] = e[r, n] * w[r];
}

check softmax_4k(M = 1);
check softmax_4k(M = 5);
bench softmax_4k(M = 16384);
