// Entries with temporaries, for many host threads at once (threads.c).
// clause 10.8
export fn normal(x: f32[M, N]) -> (y: f32[M, N], mu: f32[N], s: f32[]) {
    let m[j] = mean[i](x[i, j]);
    let v[j] = mean[i]((x[i, j] - m[j]) * (x[i, j] - m[j]));
    mu[j] = m[j];
    s[] = sum[i, j](x[i, j]);
    y[i, j] = (x[i, j] - m[j]) * rsqrt(v[j] + 1e-5);
}

export fn rows(x: f32[M, N]) -> (y: f32[M, N]) {
    let s[i] = sum[j](exp(x[i, j]));
    y[i, j] = exp(x[i, j]) / s[i];
}
