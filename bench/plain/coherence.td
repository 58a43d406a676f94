// The coherence of two complex signals over the segments, the middle axis, real and imaginary parts last.
export fn coherence(a: f32[B, S, F, 2], b: f32[B, S, F, 2]) -> (c: f32[B, F], phase: f32[B, F]) {
    let re[n, f] = sum[s](a[n, s, f, 0] * b[n, s, f, 0] + a[n, s, f, 1] * b[n, s, f, 1]);
    let im[n, f] = sum[s](a[n, s, f, 1] * b[n, s, f, 0] - a[n, s, f, 0] * b[n, s, f, 1]);
    let pa[n, f] = sum[s, p](a[n, s, f, p] ** 2);
    let pb[n, f] = sum[s, p](b[n, s, f, p] ** 2);
    c[n, f] = (re[n, f] ** 2 + im[n, f] ** 2) / (pa[n, f] * pb[n, f]);
    phase[n, f] = atan2(im[n, f], re[n, f]);
}
check coherence(B = 3, S = 9, F = 13);
bench coherence(B = 16, S = 200, F = 513);
