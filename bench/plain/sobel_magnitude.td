// Edges by Sobel's filters, the border continued, and the strongest of each image.
dim H in 1..;
dim W in 1..;
export fn sobel_magnitude(x: f32[N, H, W]) -> (g: f32[N, H, W], top: f32[N]) {
    let p[n, i in H + 2, j in W + 2] = x[n, clamp(i - 1, 0, H - 1), clamp(j - 1, 0, W - 1)];
    let a[n, i in H, j in W] = p[n, i, j + 2] - p[n, i, j] + 2 * (p[n, i + 1, j + 2] - p[n, i + 1, j]) + p[n, i + 2, j + 2] - p[n, i + 2, j];
    let b[n, i in H, j in W] = p[n, i + 2, j] - p[n, i, j] + 2 * (p[n, i + 2, j + 1] - p[n, i, j + 1]) + p[n, i + 2, j + 2] - p[n, i, j + 2];
    g[n, i, j] = sqrt(a[n, i, j] ** 2 + b[n, i, j] ** 2);
    top[n] = max[i, j](g[n, i, j]);
}
check sobel_magnitude(N = 2, H = 11, W = 13);
bench sobel_magnitude(N = 16, H = 1080, W = 1001);
