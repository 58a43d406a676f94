// runs long
// Softmax over rows of a matrix.
export fn softmax_32k(x: bf16[M, 32768]) -> (y: bf16[M, 32768]) {
    let m[r] = max[n](x[r, n]);
    let e[r, n] = exp(x[r, n] - m[r]);
    let z[r] = sum[n](e[r, n]);
    let w[r] = 1.0 / z[r];
    y[r, n] = e[r, n] * w[r];
}

check softmax_32k(M = 1);
check softmax_32k(M = 133);
bench softmax_32k(M = 4096);
