/// Layer normalisation of each row, with gain and bias, then GELU.
fn square(x: f32) -> f32 = x * x;
fn gelu(x: f32) -> f32 = 0.5 * x * (1 + erf(x * 0.7071067811865476));

export fn layer_norm_gelu(x: f32[M, N], gain: f32[N], bias: f32[N], eps: f32 = 1e-5) -> (y: f32[M, N]) {
    let mu[i] = mean[j](x[i, j]);
    let va[i] = mean[j](square(x[i, j] - mu[i]));
    y[i, j] = gelu((x[i, j] - mu[i]) * rsqrt(va[i] + eps) * gain[j] + bias[j]);
}

check layer_norm_gelu(M = 1, N = 1);
check layer_norm_gelu(M = 33, N = 517);
check layer_norm_gelu(M = 4, N = 4096, eps = 1e-3) with gain ~ 0.5;
bench layer_norm_gelu(M = 16384, N = 4096);
