// A recording from 48 to 32 kHz: two phases of 24 taps at each third sample.
export fn resample_2_3(x: f32[B, 3*T + 24], w: f32[2, 24]) -> (y: f32[B, 2*T]) {
    y[b, 2*t] = sum[k in 0..24](w[0, k] * x[b, 3*t + k]);
    y[b, 2*t + 1] = sum[k in 0..24](w[1, k] * x[b, 3*t + 1 + k]);
}
check resample_2_3(B = 3, T = 37);
bench resample_2_3(B = 32, T = 160001);
