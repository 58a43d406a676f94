// A channel axis split into groups of a size known only when the program runs.
/// Per sample and group, zero mean and unit variance over the group's channels and places, then scale and shift.
export fn groupnorm(x: f32[N, G*K, L], scale: f32[G*K], shift: f32[G*K], eps: f32 = 1e-4)
    -> (y: f32[N, G*K, L], centre: f32[N, G]) {
    let mu: f32[n in N, g in G] = mean[k in 0..K, l](x[n, g*K + k, l]);
    let dev: f32[n in N, c in G*K, l in L] = x[n, c, l] - mu[n, c / K];
    let spread: f32[n in N, g in G] = mean[k in 0..K, l](dev[n, g*K + k, l] ** 2);
    y[n, c, l] = dev[n, c, l] * rsqrt(spread[n, c / K] + eps) * scale[c] + shift[c];
    centre[n, g] = mu[n, g];
}
check groupnorm(N = 1, G = 1, K = 1, L = 1);
check groupnorm(N = 3, G = 5, K = 7, L = 11, eps = 0.01);
check groupnorm(N = 2, G = 3, K = 1, L = 259);
check groupnorm(N = 0, G = 3, K = 2, L = 5);
