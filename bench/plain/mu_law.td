// Samples to the 256 levels of mu-law and back, and the error in decibels by channel.
export fn mu_law(x: f32[C, T]) -> (q: u8[C, T], snr: f32[C]) {
    q[c, t] = u8(round((sign(x[c, t]) * log1p(255 * min(abs(x[c, t]), 1)) / 5.5451774 + 1) * 127.5));
    let v[c, t] = f32(q[c, t]) / 127.5 - 1;
    let r[c, t] = sign(v[c, t]) * expm1(abs(v[c, t]) * 5.5451774) / 255;
    snr[c] = 10 * log10(sum[t](x[c, t] ** 2) / max(sum[t]((x[c, t] - r[c, t]) ** 2), 1e-12));
}
check mu_law(C = 3, T = 301) with x in -0.9..0.9;
bench mu_law(C = 64, T = 400001) with x in -0.9..0.9;
