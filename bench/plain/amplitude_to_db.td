// Amplitudes to decibels, none more than 80 below the loudest of its recording.
export fn amplitude_to_db(x: f32[B, F, T]) -> (y: f32[B, F, T]) {
    let d[b, f, t] = 20 * log10(max(x[b, f, t], 1e-5));
    let top[b] = max[f, t](d[b, f, t]);
    y[b, f, t] = max(d[b, f, t], top[b] - 80);
}
check amplitude_to_db(B = 2, F = 11, T = 37) with x in 0.0..1.0;
bench amplitude_to_db(B = 24, F = 128, T = 3001) with x in 0.0..1.0;
