// runs long
// Group norm of channels-last images with 32 groups of 10 channels, then SiLU.
export fn groupnorm_nhwc_silu(x: f16[B, 64, 64, 320], g: f16[320], b: f16[320]) -> (y: f16[B, 64, 64, 320]) {
    let mu[i, q in 32] = sum[h in 0..64, w in 0..64, k in 0..10](x[i, h, w, 10*q + k]) / 40960.0;
    let d[i, h, w, q in 32, k in 10] = x[i, h, w, 10*q + k] - mu[i, q];
    let v[i, q in 32] = sum[h in 0..64, w in 0..64, k in 0..10](d[i, h, w, q, k] * d[i, h, w, q, k]) / 40960.0;
    let s[i, q, k in 10] = rsqrt(v[i, q] + 0.00001) * g[10*q + k];
    let t[i, q, k in 10] = b[10*q + k] - mu[i, q] * s[i, q, k];
    let a[i, h, w, q in 32, k in 10] = x[i, h, w, 10*q + k] * s[i, q, k] + t[i, q, k];
    y[i, h, w, 10*q + k in 10] = a[i, h, w, q, k] * sigmoid(a[i, h, w, q, k]);
}

check groupnorm_nhwc_silu(B = 1);
check groupnorm_nhwc_silu(B = 2); // check-all
bench groupnorm_nhwc_silu(B = 16);
