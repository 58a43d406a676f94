// Long stereo recordings of 16 bits to one channel, whose peak is 0.95; and what the peak was.
export fn peak_normalise(x: i16[B, T, 2]) -> (y: f32[B, T], peak: f32[B]) {
    let m[b, t] = (f32(x[b, t, 0]) + f32(x[b, t, 1])) / 65536;
    peak[b] = max[t](abs(m[b, t]));
    y[b, t] = m[b, t] * (0.95 / max(peak[b], 1e-6));
}
check peak_normalise(B = 3, T = 131) with x in -32768..32768;
bench peak_normalise(B = 4, T = 3000001) with x in -32768..32768;
