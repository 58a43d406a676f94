// Group norm of channels-last images with 32 groups of 10 channels, then SiLU.
export fn groupnorm_nhwc_silu(x: f16[B, 64, 64, 320], g: f16[320], b: f16[320]) -> (y: f16[B, 64, 64, 320]) {
    let mu[i, q in 32] = sum[h in 0..64, w in 0..64, k in 0..10](x[i, h, w, 10 * q + k]) / 40960.0;
    let v[i, q in 32] = sum[h in 0..64, w in 0..64, k in 0..10]((x[i, h, w, 10 * q + k] - mu[i, q]) * (x[i, h, w, 10 * q + k] - mu[i, q])) / 40960.0;
    let a[i, h, w, c] = (x[i, h, w, c] - mu[i, c / 10]) * rsqrt(v[i, c / 10] + 0.00001) * g[c] + b[c];
    y[i, h, w, c] = a[i, h, w, c] * sigmoid(a[i, h, w, c]);
}

check groupnorm_nhwc_silu(B = 1);
check groupnorm_nhwc_silu(B = 2);
bench groupnorm_nhwc_silu(B = 16);
