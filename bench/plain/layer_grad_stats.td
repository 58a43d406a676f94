// Of the gradients of equal layers: norm, largest, share of zeros, and whether all are finite; and of all together.
export fn layer_grad_stats(g: f16[L, M, N]) -> (norm: f32[L], top: f32[L], zeros: f32[L], ok: bool[L], all_norm: f32[]) {
    norm[l] = sqrt(sum[i, j](g[l, i, j] ** 2));
    top[l] = max[i, j](abs(g[l, i, j]));
    zeros[l] = mean[i, j](if g[l, i, j] == 0 then 1.0 else 0.0);
    ok[l] = all[i, j](isfinite(g[l, i, j]));
    all_norm[] = sqrt(sum[l](norm[l] ** 2));
}
check layer_grad_stats(L = 3, M = 7, N = 37);
bench layer_grad_stats(L = 24, M = 1024, N = 1000);
