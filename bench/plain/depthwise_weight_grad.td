// The gradient of the 3 x 3 filters of a depthwise convolution, channels last.
dim H in 1..;
dim W in 1..;
export fn depthwise_weight_grad(x: f16[N, H, W, C], dy: f16[N, H, W, C]) -> (dw: f32[3, 3, C]) {
    dw[r, s, c] = sum[n, i, j](pad(x[n, i + r - 1, j + s - 1, c], 0) * dy[n, i, j, c]);
}
check depthwise_weight_grad(N = 2, H = 5, W = 7, C = 11);
bench depthwise_weight_grad(N = 32, H = 56, W = 56, C = 144);
