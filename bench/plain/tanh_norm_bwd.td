// The backward of y = w tanh(a x) + b, which stands for a norm: gradients of all four.
export fn tanh_norm_bwd(dy: bf16[M, N], x: bf16[M, N], a: f32[], w: f32[N])
        -> (dx: bf16[M, N], da: f32[], dw: f32[N], db: f32[N]) {
    let t[i, j] = tanh(a[] * x[i, j]);
    let g[i, j] = dy[i, j] * w[j] * (1 - t[i, j] ** 2);
    dx[i, j] = a[] * g[i, j];
    da[] = sum[i, j](g[i, j] * x[i, j]);
    dw[j] = sum[i](dy[i, j] * t[i, j]);
    db[j] = sum[i](dy[i, j]);
}
check tanh_norm_bwd(M = 9, N = 37);
bench tanh_norm_bwd(M = 16384, N = 1155);
