// A softmax over a middle axis: of each place's channels its frames.
export fn middle_softmax(x: f16[B, M, D]) -> (y: f16[B, M, D]) {
    let m[b, d] = max[k](x[b, k, d]);
    let s[b, d] = sum[k](exp(x[b, k, d] - m[b, d]));
    y[b, k, d] = exp(x[b, k, d] - m[b, d]) / s[b, d];
}
check middle_softmax(B = 3, M = 17, D = 21);
bench middle_softmax(B = 64, M = 512, D = 768);
