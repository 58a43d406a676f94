// Through every form.
dim N hint 1024;
export fn row_softmax(x: f32[M, N]) -> (y: f32[M, N]) {
    let m[i] = max[j](x[i, j]);
    let s[i] = sum[j](exp(x[i, j] - m[i]));
    y[i, j] = exp(x[i, j] - m[i]) / s[i];
}
