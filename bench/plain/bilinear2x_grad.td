// The gradient of a bilinear upsampling by two, one axis after the other.
export fn bilinear2x_grad(dy: f32[N, C, 2*H, 2*W]) -> (dx: f32[N, C, H, W]) {
    let r[n, c, i in H, q] = 0.75 * (dy[n, c, 2*i, q] + dy[n, c, 2*i + 1, q])
                           + 0.25 * (dy[n, c, max(2*i - 1, 0), q] + dy[n, c, min(2*i + 2, 2*H - 1), q]);
    dx[n, c, i, j] = 0.75 * (r[n, c, i, 2*j] + r[n, c, i, 2*j + 1])
                   + 0.25 * (r[n, c, i, max(2*j - 1, 0)] + r[n, c, i, min(2*j + 2, 2*W - 1)]);
}
check bilinear2x_grad(N = 2, C = 3, H = 5, W = 7);
bench bilinear2x_grad(N = 16, C = 32, H = 100, W = 100);
