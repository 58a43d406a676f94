// Composite reductions: over packs, with guards and ranges, with several results.
reduce lse[k](e) { let m = max[k](e); return m + log(sum[k](exp(e - m))); }
reduce moments[k...](e) { let m = mean[k...](e); return (m, mean[k...]((e - m) ** 2)); }
reduce outer[k](e) { return 2 * lse[k](e + 1.0); }

export fn row_lse(x: f16[M, N], n: i32[M]) -> (y: f32[M], z: f32[M], u: f32[M]) {
    assume 0 <= n[i] && n[i] <= N;
    y[i] = lse[j](x[i, j]);
    z[i] = lse[j where j <= i](x[i, j]);
    u[i] = outer[j in 0..n[i]](x[i, j]);
}

export fn stats(x: f32[N, C, H, W]) -> (mean_: f32[C], var: f32[C]) {
    let (mu[c], va[c]) = moments[n, h, w](x[n, c, h, w]);
    mean_[c] = mu[c];
    var[c] = va[c];
}
