// Normalisations, what their backward passes need, and those passes. Results are acc(T); scales, shifts and statistics are
// acc(T), and narrower ones given in a call widen. "..." in a type is any number of axes.

// ---- over the last axis ----

/// (x - mean) / sqrt(variance + eps) * weight + bias over each row, the variance that of all N: Ba et al. 2016,
/// arXiv:1607.06450; torch.nn.functional.layer_norm of the last axis. act is applied at the end.
/// x: T[..., N], weight, bias: acc(T)[N] -> acc(T)[..., N].
fn layer_norm<T, act: fn = identity>(x: T[B..., N], weight: acc(T)[N] = 1, bias: acc(T)[N] = 0, eps: acc(T) = 1e-5)
    -> (y: acc(T)[B..., N]) {
    let mu[b...] = mean[n](x[b..., n]);
    let va[b...] = mean[n]((x[b..., n] - mu[b...]) ** 2);
    y[b..., n] = act((x[b..., n] - mu[b...]) * rsqrt(va[b...] + eps) * weight[n] + bias[n]);
}

/// layer_norm, and of each row its mean and 1 / sqrt(variance + eps), which layer_norm_grad takes.
/// x: T[..., N], weight, bias: acc(T)[N] -> acc(T)[..., N], acc(T)[...], acc(T)[...].
fn layer_norm_stats<T>(x: T[B..., N], weight: acc(T)[N] = 1, bias: acc(T)[N] = 0, eps: acc(T) = 1e-5)
    -> (y: acc(T)[B..., N], mu: acc(T)[B...], inv: acc(T)[B...]) {
    mu[b...] = mean[n](x[b..., n]);
    inv[b...] = rsqrt(mean[n]((x[b..., n] - mu[b...]) ** 2) + eps);
    y[b..., n] = (x[b..., n] - mu[b...]) * inv[b...] * weight[n] + bias[n];
}

/// dx of layer_norm: with g = dy * weight and d = x - mu, inv * (g - mean_n(g) - d * inv^2 * mean_n(g d)).
/// dy, x: T[..., N], mu, inv: acc(T)[...], weight: acc(T)[N] -> acc(T)[..., N].
fn layer_norm_grad<T>(dy: T[B..., N], x: T[B..., N], mu: acc(T)[B...], inv: acc(T)[B...], weight: acc(T)[N] = 1)
    -> (dx: acc(T)[B..., N]) {
    let g[b..., n] = dy[b..., n] * weight[n];
    let d[b..., n] = x[b..., n] - mu[b...];
    let mg[b...] = mean[n](g[b..., n]);
    let mgd[b...] = mean[n](g[b..., n] * d[b..., n]);
    dx[b..., n] = inv[b...] * (g[b..., n] - mg[b...] - d[b..., n] * (inv[b...] * inv[b...] * mgd[b...]));
}

/// Gradients of layer_norm's weight, sum of dy * (x - mu) * inv, and bias, sum of dy, over all rows.
/// dy, x: T[..., N], mu, inv: acc(T)[...] -> acc(T)[N], acc(T)[N].
fn layer_norm_param_grad<T>(dy: T[B..., N], x: T[B..., N], mu: acc(T)[B...], inv: acc(T)[B...])
    -> (dweight: acc(T)[N], dbias: acc(T)[N]) {
    dweight[n] = sum[b...](dy[b..., n] * (x[b..., n] - mu[b...]) * inv[b...]);
    dbias[n] = sum[b...](dy[b..., n]);
}

/// layer_norm of the residual stream: s = x + residual + shift, y = layer_norm(s). x, residual: T[..., N],
/// shift, weight, bias: acc(T)[N] -> y: acc(T)[..., N], s: T[..., N], rounded; y is of the unrounded sum.
fn add_layer_norm<T>(x: T[B..., N], residual: T[B..., N], shift: acc(T)[N] = 0, weight: acc(T)[N] = 1, bias: acc(T)[N] = 0,
                     eps: acc(T) = 1e-5) -> (y: acc(T)[B..., N], s: T[B..., N]) {
    let h[b..., n] = x[b..., n] + residual[b..., n] + shift[n];
    let mu[b...] = mean[n](h[b..., n]);
    let va[b...] = mean[n]((h[b..., n] - mu[b...]) ** 2);
    y[b..., n] = (h[b..., n] - mu[b...]) * rsqrt(va[b...] + eps) * weight[n] + bias[n];
    s[b..., n] = h[b..., n];
}

/// x / sqrt(mean_n(x^2) + eps) * weight: Zhang and Sennrich 2019, arXiv:1910.07467; T5's and Llama's layer norm. eps is
/// T5's 1e-6. x: T[..., N], weight: acc(T)[N] -> acc(T)[..., N].
fn rms_norm<T, act: fn = identity>(x: T[B..., N], weight: acc(T)[N] = 1, eps: acc(T) = 1e-6) -> (y: acc(T)[B..., N]) {
    let ms[b...] = mean[n](x[b..., n] * x[b..., n]);
    y[b..., n] = act(x[b..., n] * rsqrt(ms[b...] + eps) * weight[n]);
}

/// rms_norm, and of each row 1 / sqrt(mean_n(x^2) + eps), which rms_norm_grad takes.
/// x: T[..., N], weight: acc(T)[N] -> acc(T)[..., N], acc(T)[...].
fn rms_norm_stats<T>(x: T[B..., N], weight: acc(T)[N] = 1, eps: acc(T) = 1e-6)
    -> (y: acc(T)[B..., N], inv: acc(T)[B...]) {
    inv[b...] = rsqrt(mean[n](x[b..., n] * x[b..., n]) + eps);
    y[b..., n] = x[b..., n] * inv[b...] * weight[n];
}

/// dx of rms_norm: with g = dy * weight, inv * (g - x * inv^2 * mean_n(g x)).
/// dy, x: T[..., N], inv: acc(T)[...], weight: acc(T)[N] -> acc(T)[..., N].
fn rms_norm_grad<T>(dy: T[B..., N], x: T[B..., N], inv: acc(T)[B...], weight: acc(T)[N] = 1) -> (dx: acc(T)[B..., N]) {
    let m[b...] = mean[n](dy[b..., n] * weight[n] * x[b..., n]);
    dx[b..., n] = inv[b...] * (dy[b..., n] * weight[n] - x[b..., n] * inv[b...] * inv[b...] * m[b...]);
}

/// Gradient of rms_norm's weight: the sum of dy * x * inv over all rows. dy, x: T[..., N], inv: acc(T)[...] -> acc(T)[N].
fn rms_norm_weight_grad<T>(dy: T[B..., N], x: T[B..., N], inv: acc(T)[B...]) -> (dweight: acc(T)[N]) {
    dweight[n] = sum[b...](dy[b..., n] * x[b..., n] * inv[b...]);
}

/// rms_norm of the residual stream: s = x + residual, y = rms_norm(s). x, residual: T[..., N], weight: acc(T)[N]
/// -> y: acc(T)[..., N], s: T[..., N], rounded; y is of the unrounded sum.
fn add_rms_norm<T>(x: T[B..., N], residual: T[B..., N], weight: acc(T)[N] = 1, eps: acc(T) = 1e-6)
    -> (y: acc(T)[B..., N], s: T[B..., N]) {
    let h[b..., n] = x[b..., n] + residual[b..., n];
    let ms[b...] = mean[n](h[b..., n] * h[b..., n]);
    y[b..., n] = h[b..., n] * rsqrt(ms[b...] + eps) * weight[n];
    s[b..., n] = h[b..., n];
}

/// x / max(sqrt(sum_n x^2), eps): torch.nn.functional.normalize. x: T[..., N] -> acc(T)[..., N].
fn normalize<T>(x: T[B..., N], eps: acc(T) = 1e-12) -> (y: acc(T)[B..., N]) {
    let s[b...] = sum[n](x[b..., n] * x[b..., n]);
    y[b..., n] = x[b..., n] / max(sqrt(s[b...]), eps);
}

// ---- groups of channels: G groups of K channels each; give the number of groups, group_norm(x, w, b, G = 32) ----

/// (x - mean) / sqrt(variance + eps) * weight + bias, over the channels of a group and all places: Wu and He 2018,
/// arXiv:1803.08494; torch.nn.functional.group_norm. act (silu, for one) is applied at the end.
/// x: T[N, G*K, ...], weight, bias: acc(T)[G*K] -> acc(T)[N, G*K, ...].
fn group_norm<T, act: fn = identity>(x: T[N, G*K, S...], weight: acc(T)[G*K] = 1, bias: acc(T)[G*K] = 0, eps: acc(T) = 1e-5)
    -> (y: acc(T)[N, G*K, S...]) {
    let mu[n, g in G] = mean[k in 0..K, s...](x[n, g*K + k, s...]);
    let va[n, g in G] = mean[k in 0..K, s...]((x[n, g*K + k, s...] - mu[n, g]) ** 2);
    y[n, c, s...] = act((x[n, c, s...] - mu[n, c / K]) * rsqrt(va[n, c / K] + eps) * weight[c] + bias[c]);
}

/// group_norm with the channels last. x: T[N, ..., G*K], weight, bias: acc(T)[G*K] -> acc(T)[N, ..., G*K].
fn group_norm_last<T, act: fn = identity>(x: T[N, S..., G*K], weight: acc(T)[G*K] = 1, bias: acc(T)[G*K] = 0,
                                          eps: acc(T) = 1e-5) -> (y: acc(T)[N, S..., G*K]) {
    let mu[n, g in G] = mean[k in 0..K, s...](x[n, s..., g*K + k]);
    let va[n, g in G] = mean[k in 0..K, s...]((x[n, s..., g*K + k] - mu[n, g]) ** 2);
    y[n, s..., c] = act((x[n, s..., c] - mu[n, c / K]) * rsqrt(va[n, c / K] + eps) * weight[c] + bias[c]);
}

/// group_norm, and of each sample's groups mean and 1 / sqrt(variance + eps), which group_norm_grad takes.
/// x: T[N, G*K, ...], weight, bias: acc(T)[G*K] -> acc(T)[N, G*K, ...], acc(T)[N, G], acc(T)[N, G].
fn group_norm_stats<T>(x: T[N, G*K, S...], weight: acc(T)[G*K] = 1, bias: acc(T)[G*K] = 0, eps: acc(T) = 1e-5)
    -> (y: acc(T)[N, G*K, S...], mu: acc(T)[N, G], inv: acc(T)[N, G]) {
    mu[n, g] = mean[k in 0..K, s...](x[n, g*K + k, s...]);
    inv[n, g] = rsqrt(mean[k in 0..K, s...]((x[n, g*K + k, s...] - mu[n, g]) ** 2) + eps);
    y[n, c, s...] = (x[n, c, s...] - mu[n, c / K]) * inv[n, c / K] * weight[c] + bias[c];
}

/// dx of group_norm: with g = dy * weight and h = (x - mu) * inv, inv * (g - mean(g) - h * mean(g h)), means over a group.
/// dy, x: T[N, G*K, ...], mu, inv: acc(T)[N, G], weight: acc(T)[G*K] -> acc(T)[N, G*K, ...].
fn group_norm_grad<T>(dy: T[N, G*K, S...], x: T[N, G*K, S...], mu: acc(T)[N, G], inv: acc(T)[N, G], weight: acc(T)[G*K] = 1)
    -> (dx: acc(T)[N, G*K, S...]) {
    let a[n, g in G] = mean[k in 0..K, s...](dy[n, g*K + k, s...] * weight[g*K + k]);
    let b[n, g in G] = mean[k in 0..K, s...](dy[n, g*K + k, s...] * weight[g*K + k] * (x[n, g*K + k, s...] - mu[n, g]) * inv[n, g]);
    dx[n, c, s...] = inv[n, c / K]
        * (dy[n, c, s...] * weight[c] - a[n, c / K] - (x[n, c, s...] - mu[n, c / K]) * inv[n, c / K] * b[n, c / K]);
}

/// Gradients of group_norm's weight, sum of dy * (x - mu) * inv, and bias, sum of dy, over samples and places.
/// dy, x: T[N, G*K, ...], mu, inv: acc(T)[N, G] -> acc(T)[G*K], acc(T)[G*K].
fn group_norm_param_grad<T>(dy: T[N, G*K, S...], x: T[N, G*K, S...], mu: acc(T)[N, G], inv: acc(T)[N, G])
    -> (dweight: acc(T)[G*K], dbias: acc(T)[G*K]) {
    dweight[c] = sum[n, s...](dy[n, c, s...] * (x[n, c, s...] - mu[n, c / K]) * inv[n, c / K]);
    dbias[c] = sum[n, s...](dy[n, c, s...]);
}

/// (x - mean) / sqrt(variance + eps) * weight + bias over the places of one channel: Ulyanov et al. 2016, arXiv:1607.08022;
/// torch.nn.functional.instance_norm. x: T[N, C, ...], weight, bias: acc(T)[C] -> acc(T)[N, C, ...].
fn instance_norm<T>(x: T[N, C, S...], weight: acc(T)[C] = 1, bias: acc(T)[C] = 0, eps: acc(T) = 1e-5)
    -> (y: acc(T)[N, C, S...]) {
    let mu[n, c] = mean[s...](x[n, c, s...]);
    let va[n, c] = mean[s...]((x[n, c, s...] - mu[n, c]) ** 2);
    y[n, c, s...] = (x[n, c, s...] - mu[n, c]) * rsqrt(va[n, c] + eps) * weight[c] + bias[c];
}

/// instance_norm with the channels last. x: T[N, ..., C], weight, bias: acc(T)[C] -> acc(T)[N, ..., C].
fn instance_norm_last<T>(x: T[N, S..., C], weight: acc(T)[C] = 1, bias: acc(T)[C] = 0, eps: acc(T) = 1e-5)
    -> (y: acc(T)[N, S..., C]) {
    let mu[n, c] = mean[s...](x[n, s..., c]);
    let va[n, c] = mean[s...]((x[n, s..., c] - mu[n, c]) ** 2);
    y[n, s..., c] = (x[n, s..., c] - mu[n, c]) * rsqrt(va[n, c] + eps) * weight[c] + bias[c];
}

// ---- over the batch ----

/// (x - mean) / sqrt(variance + eps) * weight + bias over samples and places of a channel, and the running statistics
/// moved by momentum towards the batch's (the variance by n / (n - 1), unbiased; as it is where n = 1): Ioffe and Szegedy
/// 2015, arXiv:1502.03167; torch.nn.functional.batch_norm(training=True), whose momentum is 1 minus that of others.
/// x: T[N, C, ...], running_mean, running_var: acc(T)[C], updated, weight, bias: acc(T)[C] -> acc(T)[N, C, ...].
fn batch_norm<T, act: fn = identity>(x: T[N, C, S...], inout running_mean: acc(T)[C], inout running_var: acc(T)[C],
                                     weight: acc(T)[C] = 1, bias: acc(T)[C] = 0, momentum: acc(T) = 0.1, eps: acc(T) = 1e-5)
    -> (y: acc(T)[N, C, S...]) {
    let mu[c] = mean[n, s...](x[n, c, s...]);
    let va[c] = mean[n, s...]((x[n, c, s...] - mu[c]) ** 2);
    let count[c] = sum[n, s...](if isnan(x[n, c, s...]) then i64(1) else 1);
    y[n, c, s...] = act((x[n, c, s...] - mu[c]) * rsqrt(va[c] + eps) * weight[c] + bias[c]);
    running_mean[c] = (1 - momentum) * running_mean[c] + momentum * mu[c];
    running_var[c] = (1 - momentum) * running_var[c] + momentum * va[c] * acc(T)(count[c]) / acc(T)(max(count[c] - 1, 1));
}

/// batch_norm with the channels last. x: T[..., C] -> acc(T)[..., C].
fn batch_norm_last<T, act: fn = identity>(x: T[B..., C], inout running_mean: acc(T)[C], inout running_var: acc(T)[C],
                                          weight: acc(T)[C] = 1, bias: acc(T)[C] = 0, momentum: acc(T) = 0.1,
                                          eps: acc(T) = 1e-5) -> (y: acc(T)[B..., C]) {
    let mu[c] = mean[b...](x[b..., c]);
    let va[c] = mean[b...]((x[b..., c] - mu[c]) ** 2);
    let count[c] = sum[b...](if isnan(x[b..., c]) then i64(1) else 1);
    y[b..., c] = act((x[b..., c] - mu[c]) * rsqrt(va[c] + eps) * weight[c] + bias[c]);
    running_mean[c] = (1 - momentum) * running_mean[c] + momentum * mu[c];
    running_var[c] = (1 - momentum) * running_var[c] + momentum * va[c] * acc(T)(count[c]) / acc(T)(max(count[c] - 1, 1));
}

/// batch_norm without running statistics, and of each channel mean and 1 / sqrt(variance + eps), which batch_norm_grad
/// takes. x: T[N, C, ...], weight, bias: acc(T)[C] -> acc(T)[N, C, ...], acc(T)[C], acc(T)[C].
fn batch_norm_stats<T>(x: T[N, C, S...], weight: acc(T)[C] = 1, bias: acc(T)[C] = 0, eps: acc(T) = 1e-5)
    -> (y: acc(T)[N, C, S...], mu: acc(T)[C], inv: acc(T)[C]) {
    mu[c] = mean[n, s...](x[n, c, s...]);
    inv[c] = rsqrt(mean[n, s...]((x[n, c, s...] - mu[c]) ** 2) + eps);
    y[n, c, s...] = (x[n, c, s...] - mu[c]) * inv[c] * weight[c] + bias[c];
}

/// (x - running_mean) / sqrt(running_var + eps) * weight + bias: torch.nn.functional.batch_norm(training=False).
/// x: T[N, C, ...], running_mean, running_var, weight, bias: acc(T)[C] -> acc(T)[N, C, ...].
fn batch_norm_inference<T, act: fn = identity>(x: T[N, C, S...], running_mean: acc(T)[C], running_var: acc(T)[C],
                                               weight: acc(T)[C] = 1, bias: acc(T)[C] = 0, eps: acc(T) = 1e-5)
    -> (y: acc(T)[N, C, S...]) {
    y[n, c, s...] = act((x[n, c, s...] - running_mean[c]) * rsqrt(running_var[c] + eps) * weight[c] + bias[c]);
}

/// batch_norm_inference with the channels last. x: T[..., C] -> acc(T)[..., C].
fn batch_norm_inference_last<T, act: fn = identity>(x: T[B..., C], running_mean: acc(T)[C], running_var: acc(T)[C],
                                                    weight: acc(T)[C] = 1, bias: acc(T)[C] = 0, eps: acc(T) = 1e-5)
    -> (y: acc(T)[B..., C]) {
    y[b..., c] = act((x[b..., c] - running_mean[c]) * rsqrt(running_var[c] + eps) * weight[c] + bias[c]);
}

/// Gradients of batch_norm in training: with h = (x - mu) * inv, dweight = sum of dy h, dbias = sum of dy, and
/// dx = weight * inv * (dy - mean(dy) - h * mean(dy h)), over samples and places.
/// dy, x: T[N, C, ...], mu, inv, weight: acc(T)[C] -> acc(T)[N, C, ...], acc(T)[C], acc(T)[C].
fn batch_norm_grad<T>(dy: T[N, C, S...], x: T[N, C, S...], mu: acc(T)[C], inv: acc(T)[C], weight: acc(T)[C] = 1)
    -> (dx: acc(T)[N, C, S...], dweight: acc(T)[C], dbias: acc(T)[C]) {
    let a[c] = mean[n, s...](dy[n, c, s...]);
    let b[c] = mean[n, s...](dy[n, c, s...] * (x[n, c, s...] - mu[c]) * inv[c]);
    dx[n, c, s...] = weight[c] * inv[c] * (dy[n, c, s...] - a[c] - (x[n, c, s...] - mu[c]) * inv[c] * b[c]);
    dweight[c] = sum[n, s...](dy[n, c, s...] * (x[n, c, s...] - mu[c]) * inv[c]);
    dbias[c] = sum[n, s...](dy[n, c, s...]);
}

// ---- over neighbouring channels ----

/// x / (k + alpha / R * sum of x^2 over the R channels around c)^beta, R / 2 of them before c: Krizhevsky et al. 2012;
/// torch.nn.functional.local_response_norm(size=R). x: T[N, C, ...] -> acc(T)[N, C, ...].
fn local_response_norm<T, R: int = 5>(x: T[N, C, S...], alpha: acc(T) = 1e-4, beta: acc(T) = 0.75, k: acc(T) = 1)
    -> (y: acc(T)[N, C, S...]) {
    let squares[n, c in C, s...]
        = sum[r in 0..R where 0 <= c + r - R/2 && c + r - R/2 < C](x[n, c + r - R/2, s...] * x[n, c + r - R/2, s...]);
    y[n, c, s...] = x[n, c, s...] / (k + alpha * squares[n, c, s...] / R) ** beta;
}
