// An option on the average price along paths of normal steps: what each path pays, and the price.
export fn asian_call(z: f32[T, P], strike: f32) -> (pay: f32[P], price: f32[]) {
    let dt = 1.0 / 252;
    let walk[t in T, p] = sum[k where k <= t]((0.03 - 0.5 * 0.2 ** 2) * dt + 0.2 * sqrt(dt) * z[k, p]);
    let average[p] = mean[t](100 * exp(walk[t, p]));
    pay[p] = exp(-0.03 * T * dt) * max(average[p] - strike, 0);
    price[] = mean[p](pay[p]);
}
check asian_call(T = 37, P = 101, strike = 100.0);
bench asian_call(T = 252, P = 131072, strike = 100.0);
