// Envelopes in frames of 1024 samples: peak, root mean square, and how often the sign changes.
export fn envelope_rms(x: f32[B, 1024*F]) -> (peak: f32[B, F], rms: f32[B, F], crossings: i32[B, F]) {
    peak[b, f] = max[k in 0..1024](abs(x[b, 1024*f + k]));
    rms[b, f] = sqrt(mean[k in 0..1024](x[b, 1024*f + k] ** 2));
    crossings[b, f] = sum[k in 1..1024 where (x[b, 1024*f + k] >= 0) != (x[b, 1024*f + k - 1] >= 0)](1);
}
check envelope_rms(B = 2, F = 3);
bench envelope_rms(B = 32, F = 471);
