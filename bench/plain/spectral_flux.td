// How much louder each frame's bands became, which of the frames are onsets, and how many there are.
export fn spectral_flux(s: f32[B, T, F]) -> (flux: f32[B, T], onset: bool[B, T], n: i32[B]) {
    flux[b, t] = if t == 0 then 0 else sum[f](max(log1p(s[b, t, f]) - log1p(s[b, t - 1, f]), 0));
    let m[b] = mean[t](flux[b, t]);
    onset[b, t] = flux[b, t] > 1.3 * m[b] && flux[b, t] >= flux[b, max(t - 1, 0)] && flux[b, t] > flux[b, min(t + 1, T - 1)];
    n[b] = sum[t](onset[b, t]);
}
check spectral_flux(B = 2, T = 37, F = 13) with s in 0.0..10.0;
bench spectral_flux(B = 32, T = 1500, F = 257) with s in 0.0..10.0;
