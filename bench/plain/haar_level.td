// One level of Haar's wavelets of images: the mean, and what differs along rows, columns and both.
export fn haar_level(x: f32[N, 2*H, 2*W]) -> (ll: f32[N, H, W], d: f32[N, 3, H, W]) {
    let a[n, i in H, j in W] = x[n, 2*i, 2*j];
    let b[n, i in H, j in W] = x[n, 2*i, 2*j + 1];
    let c[n, i in H, j in W] = x[n, 2*i + 1, 2*j];
    let e[n, i in H, j in W] = x[n, 2*i + 1, 2*j + 1];
    ll[n, i, j] = 0.5 * (a[n, i, j] + b[n, i, j] + c[n, i, j] + e[n, i, j]);
    d[n, 0, i, j] = 0.5 * (a[n, i, j] - b[n, i, j] + c[n, i, j] - e[n, i, j]);
    d[n, 1, i, j] = 0.5 * (a[n, i, j] + b[n, i, j] - c[n, i, j] - e[n, i, j]);
    d[n, 2, i, j] = 0.5 * (a[n, i, j] - b[n, i, j] - c[n, i, j] + e[n, i, j]);
}
check haar_level(N = 2, H = 5, W = 7);
bench haar_level(N = 8, H = 511, W = 513);
