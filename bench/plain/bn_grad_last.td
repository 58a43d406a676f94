// The backward pass of a batch norm in training, channels last: of the input, of the scale and of the shift.
export fn bn_grad_last(dy: f16[N, H, W, C], x: f16[N, H, W, C], mu: f32[C], inv: f32[C], g: f32[C])
        -> (dx: f16[N, H, W, C], dg: f32[C], db: f32[C]) {
    let h[n, i, j, c] = (x[n, i, j, c] - mu[c]) * inv[c];
    let a[c] = mean[n, i, j](dy[n, i, j, c]);
    let b[c] = mean[n, i, j](dy[n, i, j, c] * h[n, i, j, c]);
    dx[n, i, j, c] = g[c] * inv[c] * (dy[n, i, j, c] - a[c] - h[n, i, j, c] * b[c]);
    dg[c] = sum[n, i, j](dy[n, i, j, c] * h[n, i, j, c]);
    db[c] = sum[n, i, j](dy[n, i, j, c]);
}
check bn_grad_last(N = 2, H = 5, W = 3, C = 12) with inv in 0.5..2.0;
bench bn_grad_last(N = 32, H = 56, W = 56, C = 256) with inv in 0.5..2.0;
