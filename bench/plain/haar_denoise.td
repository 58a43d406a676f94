// Haar's wavelets of a signal, their details shrunk by a threshold of the channel's noise, and put together again.
import "nn";
export fn haar_denoise(x: f32[C, 2*T]) -> (y: f32[C, 2*T]) {
    let a[c, t in T] = (x[c, 2*t] + x[c, 2*t + 1]) * 0.70710678;
    let d[c, t in T] = (x[c, 2*t] - x[c, 2*t + 1]) * 0.70710678;
    let level[c] = 1.25 * mean[t](abs(d[c, t]));
    let s[c, t] = softshrink(d[c, t], lambd = level[c]);
    y[c, 2*t] = (a[c, t] + s[c, t]) * 0.70710678;
    y[c, 2*t + 1] = (a[c, t] - s[c, t]) * 0.70710678;
}
check haar_denoise(C = 5, T = 37);
bench haar_denoise(C = 128, T = 50001);
