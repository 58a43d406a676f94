// Statistics of few columns over all else, and what reads them.
export fn centred(x: f32[N, H, C]) -> (y: f32[N, H, C], top: f32[C]) {
    let mu[c] = mean[n, h](x[n, h, c]);
    let va[c] = mean[n, h]((x[n, h, c] - mu[c]) ** 2);
    top[c] = mu[c] + 3 * va[c];
    y[n, h, c] = (x[n, h, c] - mu[c]) / (va[c] + 1);
}
check centred(N = 3, H = 7, C = 5);
check centred(N = 1, H = 1, C = 9);
check centred(N = 2, H = 0, C = 3);
