// A power spectrogram in mel bands, each of K neighbouring bins from its first one on, as logarithms.
export fn mel_bands(p: f32[B, F, T], lo: i32[M], w: f32[M, K]) -> (y: f32[B, M, T]) {
    assume 0 <= lo[m] && lo[m] <= F - K;
    y[b, m, t] = log(max(sum[k](w[m, k] * p[b, lo[m] + k, t]), 1e-10));
}
check mel_bands(B = 2, F = 41, T = 13, M = 7, K = 6) with p in 0.0..1.0, w in 0.0..1.0;
bench mel_bands(B = 32, F = 201, T = 3000, M = 80, K = 16) with p in 0.0..1.0, w in 0.0..1.0;
