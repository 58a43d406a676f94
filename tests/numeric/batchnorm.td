// Statistics over the batch, and running ones that are read and written in place.
dim N in 2..=1048576;

/// Normalises each feature over batch and places, and moves the running statistics by `rate` towards the new ones.
export fn batchnorm(x: f32[N, F, L], scale: f32[F], inout mean_now: f32[F], inout var_now: f32[F], rate: f32 = 0.1)
    -> (y: f32[N, F, L]) {
    require L >= 1;
    let mu[f] = mean[n, l](x[n, f, l]);
    let va[f] = mean[n, l]((x[n, f, l] - mu[f]) ** 2);
    y[n, f, l] = (x[n, f, l] - mu[f]) * rsqrt(va[f] + 1e-5) * scale[f];
    mean_now[f] = mean_now[f] + rate * (mu[f] - mean_now[f]);
    var_now[f] = (1.0 - rate) * var_now[f] + rate * va[f] * f32(N * L) / f32(N * L - 1);
}
check batchnorm(N = 2, F = 1, L = 1);
check batchnorm(N = 35, F = 13, L = 5);
check batchnorm(N = 3, F = 7, L = 301, rate = 0.75);
check batchnorm(N = 9, F = 0, L = 4);

/// Uses the old running statistics for the result and counts the step, as a frozen layer with a warm-up would.
export fn frozen(x: bf16[N, F], inout mean_now: f32[F], inout steps: i32[]) -> (y: bf16[N, F]) {
    y[n, f] = x[n, f] - mean_now[f];
    mean_now[f] = 0.75 * mean_now[f] + 0.25 * mean[n](x[n, f]);
    steps[] = steps[] + 1;
}
check frozen(N = 2, F = 1);
check frozen(N = 77, F = 19);
check frozen(N = 3, F = 517);
check frozen(N = 5, F = 0);
