export fn softmax(x: f32[M, N]) -> (y: f32[M, N]) {
    let m[i] = max[j](x[i, j]);
    y[i, j] = exp(x[i, j] - m[i]) / sum[k](exp(x[i, k] - m[k]));
}
