// Two row reductions and the row again.
export fn softmax(x: bf16[M, N]) -> (y: bf16[M, N]) {
    let m[i] = max[n](x[i, n]);
    let e[i, n] = exp(x[i, n] - m[i]);
    let s[i] = sum[n](e[i, n]);
    y[i, n] = e[i, n] / s[i];
}
check softmax(M = 5, N = 133);
check softmax(M = 3, N = 1);
check softmax(M = 2, N = 0);
check softmax(M = 0, N = 9);
check softmax(M = 4, N = 256);
