// European calls: price, delta and vega of each, and the delta of the whole book.
fn phi(x) = 0.5 * erfc(-x * 0.70710678);
export fn black_scholes(s: f32[N], k: f32[N], t: f32[N], sigma: f32[N], held: i32[N], r: f32) -> (price: f32[N], delta: f32[N], vega: f32[N], book: f32[]) {
    let d1[n] = (log(s[n] / k[n]) + (r + 0.5 * sigma[n] ** 2) * t[n]) / (sigma[n] * sqrt(t[n]));
    let d2[n] = d1[n] - sigma[n] * sqrt(t[n]);
    price[n] = s[n] * phi(d1[n]) - k[n] * exp(-r * t[n]) * phi(d2[n]);
    delta[n] = phi(d1[n]);
    vega[n] = s[n] * 0.39894228 * exp(-0.5 * d1[n] ** 2) * sqrt(t[n]);
    book[] = sum[n](f32(held[n]) * delta[n]);
}
check black_scholes(N = 501, r = 0.02) with s in 80.0..120.0, k in 80.0..120.0, t in 0.1..2.0, sigma in 0.1..0.5;
bench black_scholes(N = 5000001, r = 0.02) with s in 80.0..120.0, k in 80.0..120.0, t in 0.1..2.0, sigma in 0.1..0.5;
