// Layer norm over rows of 1021: only every eighth row begins at an aligned address.
export fn layernorm_odd(x: f16[M, 1021], g: f16[1021], b: f16[1021]) -> (y: f16[M, 1021]) {
    let mu[r] = sum[n](x[r, n]) / 1021.0;
    let v[r] = sum[n]((x[r, n] - mu[r]) * (x[r, n] - mu[r])) / 1021.0;
    y[r, n] = (x[r, n] - mu[r]) * rsqrt(v[r] + 0.00001) * g[n] + b[n];
}

check layernorm_odd(M = 1);
check layernorm_odd(M = 11);
bench layernorm_odd(M = 32768);
