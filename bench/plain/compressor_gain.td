// A limiter that looks back over 32 samples in both channels: gain, output and how much was taken away at most.
export fn compressor_gain(x: f32[B, T, 2], limit: f32) -> (y: f32[B, T, 2], least: f32[B]) {
    let a[b, t] = max[c](abs(x[b, t, c]));
    let e[b, t in T] = max[k in 0..32 where t >= k](a[b, t - k]);
    let g[b, t] = min(1, limit / max(e[b, t], 1e-9));
    y[b, t, c] = x[b, t, c] * g[b, t];
    least[b] = min[t](g[b, t]);
}
check compressor_gain(B = 2, T = 131, limit = 0.8);
bench compressor_gain(B = 8, T = 480001, limit = 0.8);
