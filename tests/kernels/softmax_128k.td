// Softmax over rows of a matrix.
export fn softmax_128k(x: bf16[M, 131072]) -> (y: bf16[M, 131072]) {
    let m[r] = max[n](x[r, n]);
    let e[r, n] = exp(x[r, n] - m[r]);
    let z[r] = sum[n](e[r, n]);
    y[r, n] = e[r, n] / z[r];
}

check softmax_128k(M = 1);
check softmax_128k(M = 2);
bench softmax_128k(M = 1024);
