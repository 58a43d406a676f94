// Programs as users write them, of which some were once predicted at hundreds of times a copy: run.sh says how long each
// may take. The gradients of a tanh with weights: elements, a sum of all of them, and sums of columns.
export fn tanh_gradients(dy: bf16[M, N], x: bf16[M, N], a: f32[], w: f32[N]) -> (dx: bf16[M, N], da: f32[], dw: f32[N]) {
    let t[i, j] = tanh(a[] * x[i, j]);
    let g[i, j] = dy[i, j] * w[j] * (1 - t[i, j] ** 2);
    dx[i, j] = a[] * g[i, j];
    da[] = sum[i, j](g[i, j] * x[i, j]);
    dw[j] = sum[i](dy[i, j] * t[i, j]);
}
check tanh_gradients(M = 9, N = 37);
check tanh_gradients(M = 0, N = 3);

// Of each class the pixels that belong to it, beside all of them: no sort says more than the pass over all does.
export fn dice(x: f16[N, C, H, W], t: u8[N, H, W]) -> (dice: f32[C]) {
    let m[n, i, j] = max[c](x[n, c, i, j]);
    let z[n, i, j] = sum[c](exp(x[n, c, i, j] - m[n, i, j]));
    let p[n, c, i, j] = exp(x[n, c, i, j] - m[n, i, j]) / z[n, i, j];
    let both[c in C] = sum[n, i, j where i64(t[n, i, j]) == c](p[n, c, i, j]);
    let size[c] = sum[n, i, j](p[n, c, i, j]);
    let count[c in C] = sum[n, i, j where i64(t[n, i, j]) == c](1.0);
    dice[c] = (2 * both[c] + 1) / (size[c] + count[c] + 1);
}
check dice(N = 2, C = 5, H = 7, W = 9) with t in 0..C;
check dice(N = 1, C = 1, H = 1, W = 1) with t in 0..C;

// A step of a solver and how far it went: shares of the maximum are of whole rows, and not of a column each.
export fn sweep(u: f32[D, H, W], f: f32[D, H, W]) -> (y: f32[D, H, W], change: f32[]) {
    y[k, i, j] = if i == 0 || i == H - 1 then u[k, i, j] else u[k, i - 1, j] + u[k, i + 1, j] - f[k, i, j];
    change[] = max[k, i, j](abs(y[k, i, j] - u[k, i, j]));
}
check sweep(D = 5, H = 7, W = 9);

// Planes that are folded and stored are rows, whatever their own rows are.
export fn planes_normed(x: bf16[N, C, H, W], g: f32[C]) -> (y: bf16[N, C, H, W]) {
    let mu[n, c] = mean[i, j](x[n, c, i, j]);
    let va[n, c] = mean[i, j]((x[n, c, i, j] - mu[n, c]) ** 2);
    y[n, c, i, j] = (x[n, c, i, j] - mu[n, c]) * rsqrt(va[n, c] + 1e-5) * g[c];
}
check planes_normed(N = 2, C = 3, H = 7, W = 9);
check planes_normed(N = 2, C = 3, H = 4, W = 16);
check planes_normed(N = 1, C = 2, H = 0, W = 3);
check planes_normed(N = 3, C = 1, H = 1, W = 1);
