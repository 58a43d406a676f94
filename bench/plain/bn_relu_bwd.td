// The backward of a batch norm and the activation behind it, for planes, with the gradients of its parameters.
export fn bn_relu_bwd(dy: f16[N, C, H, W], x: f16[N, C, H, W], mu: f32[C], inv: f32[C], g: f32[C], b: f32[C])
        -> (dx: f16[N, C, H, W], dg: f32[C], db: f32[C]) {
    let z[n, c, i, j] = (x[n, c, i, j] - mu[c]) * inv[c];
    let d[n, c, i, j] = if z[n, c, i, j] * g[c] + b[c] > 0 then dy[n, c, i, j] else 0;
    dg[c] = sum[n, i, j](d[n, c, i, j] * z[n, c, i, j]);
    db[c] = sum[n, i, j](d[n, c, i, j]);
    dx[n, c, i, j] = g[c] * inv[c] * (d[n, c, i, j] - (db[c] + z[n, c, i, j] * dg[c]) / f32(N*H*W));
}
check bn_relu_bwd(N = 3, C = 5, H = 7, W = 5) with inv in 0.5..2.0;
bench bn_relu_bwd(N = 32, C = 128, H = 56, W = 56) with inv in 0.5..2.0;
