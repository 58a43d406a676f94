// The centroid, spread and flatness of each frame of a power spectrogram; frequencies are the middle axis.
export fn spectral_shape(p: f32[B, F, T]) -> (centroid: f32[B, T], spread: f32[B, T], flat: f32[B, T]) {
    let s[b, t] = sum[f](p[b, f, t]) + 1e-10;
    centroid[b, t] = sum[f](f32(f) * p[b, f, t]) / s[b, t];
    spread[b, t] = sqrt(sum[f]((f32(f) - centroid[b, t]) ** 2 * p[b, f, t]) / s[b, t]);
    flat[b, t] = exp(mean[f](log(p[b, f, t] + 1e-10))) * F / s[b, t];
}
check spectral_shape(B = 2, F = 17, T = 13) with p in 0.0..1.0;
bench spectral_shape(B = 16, F = 513, T = 1001) with p in 0.0..1.0;
