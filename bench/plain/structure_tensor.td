// Eigenvalues of the tensor of gradients' products, averaged over windows of 3 by 3, and how far they differ.
export fn structure_tensor(x: f32[B, H, W]) -> (big: f32[B, H, W], small: f32[B, H, W]) {
    let gx[b in B, i in H, j in W] = 0.5 * (pad(x[b, i, j + 1], 0) - pad(x[b, i, j - 1], 0));
    let gy[b in B, i in H, j in W] = 0.5 * (pad(x[b, i + 1, j], 0) - pad(x[b, i - 1, j], 0));
    let a[b, i, j] = sum[r in 0..3, s in 0..3](pad(gx[b, i + r - 1, j + s - 1], 0) ** 2) / 9;
    let c[b, i, j] = sum[r in 0..3, s in 0..3](pad(gx[b, i + r - 1, j + s - 1], 0) * pad(gy[b, i + r - 1, j + s - 1], 0)) / 9;
    let d[b, i, j] = sum[r in 0..3, s in 0..3](pad(gy[b, i + r - 1, j + s - 1], 0) ** 2) / 9;
    let root[b, i, j] = sqrt(0.25 * (a[b, i, j] - d[b, i, j]) ** 2 + c[b, i, j] ** 2);
    big[b, i, j] = 0.5 * (a[b, i, j] + d[b, i, j]) + root[b, i, j];
    small[b, i, j] = 0.5 * (a[b, i, j] + d[b, i, j]) - root[b, i, j];
}
check structure_tensor(B = 2, H = 9, W = 13);
bench structure_tensor(B = 8, H = 1000, W = 999);
