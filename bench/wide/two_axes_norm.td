// Each frame of a spectrogram is normalised over its channels and bins, which are not neighbours.
export fn two_axes_norm(x: bf16[B, C, T, F], g: bf16[C], b: bf16[C]) -> (y: bf16[B, C, T, F]) {
    let mu[n, t] = mean[c, f](x[n, c, t, f]);
    let va[n, t] = mean[c, f]((x[n, c, t, f] - mu[n, t]) ** 2);
    y[n, c, t, f] = (x[n, c, t, f] - mu[n, t]) * rsqrt(va[n, t] + 1e-5) * g[c] + b[c];
}
check two_axes_norm(B = 2, C = 5, T = 7, F = 11);
bench two_axes_norm(B = 8, C = 64, T = 1021, F = 80);
