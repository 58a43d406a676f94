// Stripes of time and of frequency of a spectrogram set to the mean of its recording.
export fn spec_augment(x: f32[B, T, F], t0: i32[B, 2], tw: i32[B, 2], f0: i32[B, 2], fw: i32[B, 2]) -> (y: f32[B, T, F]) {
    let m[b] = mean[t, f](x[b, t, f]);
    let cut_t[b, t in T] = any[k](t >= t0[b, k] && t < t0[b, k] + tw[b, k]);
    let cut_f[b, f in F] = any[k](f >= f0[b, k] && f < f0[b, k] + fw[b, k]);
    y[b, t, f] = if cut_t[b, t] || cut_f[b, f] then m[b] else x[b, t, f];
}
check spec_augment(B = 2, T = 37, F = 13) with t0 in 0..30, tw in 0..9, f0 in 0..10, fw in 0..4;
bench spec_augment(B = 64, T = 1500, F = 80) with t0 in 0..1400, tw in 0..100, f0 in 0..60, fw in 0..27;
