// The norm of ConvNeXt: each channel's energy over an image, relative to the mean of the channels.
export fn response_grn(x: bf16[N, H, W, C], g: f32[C], b: f32[C]) -> (y: bf16[N, H, W, C]) {
    let e[n, c] = sqrt(sum[i, j](x[n, i, j, c] ** 2));
    let m[n] = mean[c](e[n, c]);
    y[n, i, j, c] = g[c] * x[n, i, j, c] * e[n, c] / (m[n] + 1e-6) + b[c] + x[n, i, j, c];
}
check response_grn(N = 2, H = 5, W = 3, C = 13);
bench response_grn(N = 32, H = 28, W = 28, C = 1536);
