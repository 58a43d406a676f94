// runs long
// Gradients of a layer norm over rows of 4096, statistics recomputed.
export fn layernorm_bwd(dy: bf16[M, 4096], x: bf16[M, 4096], g: bf16[4096]) -> (dx: bf16[M, 4096], dg: bf16[4096], db: bf16[4096]) {
    let mu[r] = sum[n](x[r, n]) / 4096.0;
    let v[r] = sum[n]((x[r, n] - mu[r]) * (x[r, n] - mu[r])) / 4096.0;
    let rs[r] = rsqrt(v[r] + 0.00001);
    let xh[r, n] = (x[r, n] - mu[r]) * rs[r];
    let gd[r, n] = dy[r, n] * g[n];
    let c1[r] = sum[n](gd[r, n]) / 4096.0;
    let c2[r] = sum[n](gd[r, n] * xh[r, n]) / 4096.0;
    dx[r, n] = rs[r] * (gd[r, n] - c1[r] - xh[r, n] * c2[r]);
    dg[n] = sum[r](dy[r, n] * xh[r, n]);
    db[n] = sum[r](dy[r, n]);
}

check layernorm_bwd(M = 1);
check layernorm_bwd(M = 7);
check layernorm_bwd(M = 267); // check-all
bench layernorm_bwd(M = 16384);
