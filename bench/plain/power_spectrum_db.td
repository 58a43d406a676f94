// Power of complex spectra in half precision in decibels below each record's peak; the peak's bin by channel.
export fn power_spectrum_db(z: f16[R, F, C, 2]) -> (db: f16[R, F, C], peak: i32[R, C]) {
    let p[r, f, c] = z[r, f, c, 0] ** 2 + z[r, f, c, 1] ** 2;
    let top[r] = max[f, c](p[r, f, c]);
    db[r, f, c] = max(10 * log10(p[r, f, c] / top[r]), -80);
    peak[r, c] = i32(argmax[f](p[r, f, c]));
}
check power_spectrum_db(R = 3, F = 37, C = 5);
bench power_spectrum_db(R = 256, F = 1025, C = 33);
