/// Normalises each column of a matrix by its mean and variance, which are results too: what batch normalisation does in training.
fn square(x: f32) -> f32 = x * x;

export fn column_norm(x: f32[M, N]) -> (y: f32[M, N], mu: f32[N], va: f32[N]) {
    let m[j] = mean[i](x[i, j]);
    let v[j] = mean[i](square(x[i, j] - m[j]));
    mu[j] = m[j];
    va[j] = v[j];
    y[i, j] = (x[i, j] - m[j]) * rsqrt(v[j] + 1e-5);
}

check column_norm(M = 2, N = 1);
check column_norm(M = 130, N = 67);
check column_norm(M = 1021, N = 8);
bench column_norm(M = 65536, N = 1024);
