// Squares of an image's features are left out, and what is left is scaled up by how much that is.
export fn drop_block(x: f16[N, C, H, W], u: f32[N, H, W]) -> (y: f16[N, C, H, W], share: f32[N]) {
    let keep[n, i, j] = min[r in 0..5, q in 0..5](pad(u[n, i + r - 2, j + q - 2], 1)) > 0.01;
    share[n] = mean[i, j](if keep[n, i, j] then 1.0 else 0.0);
    y[n, c, i, j] = if keep[n, i, j] then x[n, c, i, j] / share[n] else 0;
}
check drop_block(N = 2, C = 3, H = 11, W = 9) with u in 0.0..1.0;
bench drop_block(N = 32, C = 128, H = 56, W = 56) with u in 0.0..1.0;
