// Cross-entropy of each row with an integer target, and the gradient of the mean of it.
export fn cross_entropy_fwd_bwd(x: bf16[M, 50257], t: i64[M]) -> (loss: f32[M], dx: bf16[M, 50257]) {
    assume 0 <= t[r] && t[r] < 50257;
    let m[r] = max[n](x[r, n]);
    let z[r] = sum[n](exp(x[r, n] - m[r]));
    loss[r] = m[r] + log(z[r]) - x[r, t[r]];
    dx[r, n] = (exp(x[r, n] - m[r]) / z[r] - (if n == t[r] then 1.0 else 0.0)) / M;
}

check cross_entropy_fwd_bwd(M = 1);
check cross_entropy_fwd_bwd(M = 5);
bench cross_entropy_fwd_bwd(M = 8192);
