// Layer norm over rows of 4096.
export fn layernorm(x: bf16[M, 4096], g: bf16[4096], b: bf16[4096]) -> (y: bf16[M, 4096]) {
    let mu[r] = sum[n](x[r, n]) / 4096.0;
    let v[r] = sum[n]((x[r, n] - mu[r]) * (x[r, n] - mu[r])) / 4096.0;
    y[r, n] = (x[r, n] - mu[r]) * rsqrt(v[r] + 0.00001) * g[n] + b[n];
}

check layernorm(M = 1);
check layernorm(M = 5);
bench layernorm(M = 16384);
