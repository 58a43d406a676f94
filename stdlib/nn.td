// Activations and their gradients, softmax and its family, losses. Functions of elements take any float type and compute
// in acc of it: write y[i] = gelu(x[i]). Functions of tensors return acc(T). "..." in a type is any number of leading
// axes. Names and defaults are those of torch.nn.functional unless a comment says otherwise.

// ---- activations, of elements ----

/// The larger of 0 and x, at most 6.
fn relu6(x) = clamp(x, 0, 6);

/// x where x > 0, else negative_slope * x.
fn leaky_relu(x, negative_slope = 0.01) = if x > 0 then x else negative_slope * x;

/// x where x > 0, else weight * x; the weight is a parameter of the channel.
fn prelu(x, weight) = if x > 0 then x else weight * x;

/// x where x > 0, else alpha * (e^x - 1). Clevert et al. 2015, arXiv:1511.07289.
fn elu(x, alpha = 1.0) = if x > 0 then x else alpha * expm1(x);

/// x where x > 0, else alpha * (e^(x / alpha) - 1). Barron 2017, arXiv:1704.07483.
fn celu(x, alpha = 1.0) = if x > 0 then x else alpha * expm1(x / alpha);

/// scale * elu(x, alpha), with the constants that keep mean 0 and variance 1. Klambauer et al. 2017, arXiv:1706.02515.
fn selu(x) = 1.0507009873554804934193349852946 * (if x > 0 then x else 1.6732632423543772848170429916717 * expm1(x));

/// x * P(X <= x) of a standard normal X: x / 2 * (1 + erf(x / sqrt 2)). Hendrycks and Gimpel 2016, arXiv:1606.08415.
fn gelu(x) = 0.5 * x * (1 + erf(x * 0.70710678118654752440));

/// The approximation of gelu by tanh: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))); gelu(approximate="tanh").
/// Computed as x * sigmoid(2 sqrt(2 / pi) ...), which is the same, keeps all digits where 1 + tanh cancels, and costs less.
fn gelu_tanh(x) = x * sigmoid(1.59576912160573071176 * (x + 0.044715 * x * x * x));

/// The approximation of gelu by a sigmoid: x * sigmoid(1.702 x).
fn quick_gelu(x) = x * sigmoid(1.702 * x);

/// x * sigmoid(x), also called swish. Elfwing et al. 2017, arXiv:1702.03118.
fn silu(x) = x * sigmoid(x);

/// log(1 + e^(beta x)) / beta, and x itself where beta x > threshold.
fn softplus(x, beta = 1.0, threshold = 20.0) = if beta * x > threshold then x else log1p(exp(beta * x)) / beta;

/// x * tanh(softplus(x)). Misra 2019, arXiv:1908.08681. With n = e^-|x|, tanh(log(1 + e^x)) is a quotient that neither
/// overflows nor cancels.
fn mish(x) {
    let n = exp(-abs(x));
    return if x > 0 then x * (1 + 2 * n) / (1 + 2 * n + 2 * n * n) else x * n * (n + 2) / (n * (n + 2) + 2);
}

/// log(sigmoid(x)) = min(x, 0) - log(1 + e^-|x|).
fn logsigmoid(x) = min(x, 0) - log1p(exp(-abs(x)));

/// x / (1 + |x|).
fn softsign(x) = x / (1 + abs(x));

/// x - tanh(x).
fn tanhshrink(x) = x - tanh(x);

/// x drawn towards 0 by lambd: 0 where |x| <= lambd.
fn softshrink(x, lambd = 0.5) = if x > lambd then x - lambd else if x < -lambd then x + lambd else if isnan(x) then x else 0;

/// x where |x| > lambd, else 0.
fn hardshrink(x, lambd = 0.5) = if abs(x) <= lambd then 0 else x;

/// x limited to min_val..max_val.
fn hardtanh(x, min_val = (-1.0), max_val = 1.0) = clamp(x, min_val, max_val);

/// x / 6 + 1/2 limited to 0..1. Howard et al. 2019, arXiv:1905.02244.
fn hardsigmoid(x) = clamp(x + 3, 0, 6) / 6;

/// x * hardsigmoid(x).
fn hardswish(x) = x * clamp(x + 3, 0, 6) / 6;

/// x where x > threshold, else value.
fn threshold(x, threshold, value) = if x > threshold then x else if isnan(x) then x else value;

/// relu(x)^2. So et al. 2021, arXiv:2109.08668.
fn squared_relu(x) = relu(x) * relu(x);

// ---- gated activations: the last axis holds values, then gates ----

/// a * sigmoid(b) of x = (a, b). Dauphin et al. 2016, arXiv:1612.08083. x: T[..., 2N] -> acc(T)[..., N].
fn glu<T>(x: T[B..., 2*N]) -> (y: acc(T)[B..., N]) {
    y[b..., n] = x[b..., n] * sigmoid(x[b..., N + n]);
}

/// silu(a) * b of x = (a, b), the gate first as in Llama. Shazeer 2020, arXiv:2002.05202. x: T[..., 2N] -> acc(T)[..., N].
fn swiglu<T>(x: T[B..., 2*N]) -> (y: acc(T)[B..., N]) {
    y[b..., n] = silu(x[b..., n]) * x[b..., N + n];
}

/// a * gelu(b) of x = (a, b), the gate last as in diffusers. Shazeer 2020. x: T[..., 2N] -> acc(T)[..., N].
fn geglu<T>(x: T[B..., 2*N]) -> (y: acc(T)[B..., N]) {
    y[b..., n] = x[b..., n] * gelu(x[b..., N + n]);
}

/// a * relu(b) of x = (a, b). Shazeer 2020. x: T[..., 2N] -> acc(T)[..., N].
fn reglu<T>(x: T[B..., 2*N]) -> (y: acc(T)[B..., N]) {
    y[b..., n] = x[b..., n] * relu(x[b..., N + n]);
}

// ---- mathematics, of elements, under the names of torch ----

/// -x.
fn neg(x) = -x;

/// 1 / x.
fn reciprocal(x) = 1.0 / x;

/// 1 / x, and 0 for 0.
fn reciprocal_no_nan(x) = if x == 0 then 0 else 1.0 / x;

/// x * x.
fn square(x) = x * x;

/// The nearest integer, the even one of two: round.
fn rint(x) = round(x);

/// x - trunc(x), with the sign of x.
fn frac(x) = x - trunc(x);

/// Whether x differs from 0 (a NaN does).
fn not_equal_zero(x) = x != 0;

/// Every bit of an integer inverted: -1 - x. Of an unsigned type, cast the result back.
fn bitwise_not(x) = -1 - x;

/// log(x / (1 - x)), with x limited to eps..1 - eps.
fn logit(x, eps = 0.0) {
    let p = clamp(x, eps, 1 - eps);
    return log(p / (1 - p));
}

/// sin(pi x) / (pi x), 1 at 0.
fn sinc(x) = if x == 0 then 1 else sin(3.14159265358979323846 * x) / (3.14159265358979323846 * x);

/// log(e^x + e^y) without overflow.
fn logaddexp(x, y) = if x == y then x + 0.69314718055994530942 else max(x, y) + log1p(exp(-abs(x - y)));

/// x * log(y), 0 where x is 0 (NaN where y is NaN).
fn xlogy(x, y) = if x == 0 && !isnan(y) then 0 else x * log(y);

/// x + weight * (y - x).
fn lerp(x, y, weight) = x + weight * (y - x);

/// sqrt(x^2 + y^2) without overflow.
fn hypot(x, y) {
    let a = max(abs(x), abs(y));
    let b = min(abs(x), abs(y));
    return if a == 0 || isinf(a) then a else a * sqrt(1 + (b / a) * (b / a));
}

/// The second derivative of lgamma, sum over k >= 0 of 1 / (x + k)^2: ten terms, then the asymptotic series; reflected
/// for x < 1/2. Abramowitz and Stegun 6.4.7, 6.4.10, 6.4.12.
fn trigamma(x) {
    let p = if x < 0.5 then 1 - x else x;
    let z = p + 10;
    let r = 1.0 / (z * z);
    let tail = (1 + 0.5 / z + r * (1.0/6 - r * (1.0/30 - r * (1.0/42 - r * (1.0/30 - r * (5.0/66 - r * (691.0/2730))))))) / z;
    let head = 1.0 / (p * p) + 1.0 / ((p + 1) * (p + 1)) + 1.0 / ((p + 2) * (p + 2)) + 1.0 / ((p + 3) * (p + 3))
        + 1.0 / ((p + 4) * (p + 4)) + 1.0 / ((p + 5) * (p + 5)) + 1.0 / ((p + 6) * (p + 6)) + 1.0 / ((p + 7) * (p + 7))
        + 1.0 / ((p + 8) * (p + 8)) + 1.0 / ((p + 9) * (p + 9));
    let s = sin(3.14159265358979323846 * (x - round(x)));
    return if x < 0.5 then 9.86960440108935861883 / (s * s) - (head + tail) else head + tail;
}

// ---- gradients of activations, of elements: dx from dy and the activation's argument x, or its result y where the
// parameter is called y. At a corner the gradient is that of torch. ----

/// dy where y = relu(x) is above 0, else 0.
fn relu_grad(dy, y) = if y > 0 then dy else 0;

/// dy where 0 < x < 6, else 0.
fn relu6_grad(dy, x) = if x > 0 && x < 6 then dy else 0;

/// dy where x > 0, else negative_slope * dy.
fn leaky_relu_grad(dy, x, negative_slope = 0.01) = if x > 0 then dy else negative_slope * dy;

/// dy where x > 0, else dy * alpha * e^x.
fn elu_grad(dy, x, alpha = 1.0) = if x > 0 then dy else dy * alpha * exp(x);

/// dy where y = celu(x) is above 0, else dy * (y / alpha + 1).
fn celu_grad(dy, y, alpha = 1.0) = if y > 0 then dy else dy * (y / alpha + 1);

/// scale * dy where x > 0, else scale * alpha * dy * e^x.
fn selu_grad(dy, x) = 1.0507009873554804934193349852946 * dy * (if x > 0 then 1 else 1.6732632423543772848170429916717 * exp(x));

/// dy * (P(x) + x p(x)), with the distribution and density of a standard normal:
/// dy * ((1 + erf(x / sqrt 2)) / 2 + x e^(-x^2 / 2) / sqrt(2 pi)).
fn gelu_grad(dy, x) = dy * (0.5 * (1 + erf(x * 0.70710678118654752440)) + x * exp(-0.5 * x * x) * 0.39894228040143267794);

/// With u = 2 sqrt(2 / pi) (x + 0.044715 x^3) and s = sigmoid(u), which is (1 + tanh(u / 2)) / 2: dy * (s + x s (1 - s) u').
fn gelu_tanh_grad(dy, x) {
    let s = sigmoid(1.59576912160573071176 * (x + 0.044715 * x * x * x));
    let slope = 1.59576912160573071176 * (1 + 0.134145 * x * x);
    return dy * (s + x * s * (1 - s) * slope);
}

/// With s = sigmoid(1.702 x): dy * s * (1 + 1.702 x (1 - s)).
fn quick_gelu_grad(dy, x) {
    let s = sigmoid(1.702 * x);
    return dy * s * (1 + 1.702 * x * (1 - s));
}

/// With s = sigmoid(x): dy * s * (1 + x (1 - s)).
fn silu_grad(dy, x) {
    let s = sigmoid(x);
    return dy * s * (1 + x * (1 - s));
}

/// dy * sigmoid(beta x), and dy itself where beta x > threshold.
fn softplus_grad(dy, x, beta = 1.0, threshold = 20.0) = if beta * x > threshold then dy else dy * sigmoid(beta * x);

/// With t = tanh(softplus(x)): dy * (t + x (1 - t^2) sigmoid(x)).
fn mish_grad(dy, x) {
    let n = exp(-abs(x));
    let t = if x > 0 then (1 + 2 * n) / (1 + 2 * n + 2 * n * n) else n * (n + 2) / (n * (n + 2) + 2);
    return dy * (t + x * (1 - t * t) * sigmoid(x));
}

/// dy * sigmoid(-x).
fn logsigmoid_grad(dy, x) = dy * sigmoid(-x);

/// dy * y * (1 - y).
fn sigmoid_grad(dy, y) = dy * y * (1 - y);

/// dy * (1 - y^2).
fn tanh_grad(dy, y) = dy * (1 - y * y);

/// dy * tanh(x)^2.
fn tanhshrink_grad(dy, x) = dy * tanh(x) * tanh(x);

/// dy / (1 + |x|)^2.
fn softsign_grad(dy, x) = dy / ((1 + abs(x)) * (1 + abs(x)));

/// dy where |x| > lambd, else 0.
fn softshrink_grad(dy, x, lambd = 0.5) = if abs(x) <= lambd then 0 else dy;

/// dy where y = hardshrink(x) is not 0, else 0.
fn hardshrink_grad(dy, y) = if y == 0 then 0 else dy;

/// dy where min_val < x < max_val, else 0.
fn hardtanh_grad(dy, x, min_val = (-1.0), max_val = 1.0) = if x > min_val && x < max_val then dy else 0;

/// dy / 6 where -3 < x < 3, else 0.
fn hardsigmoid_grad(dy, x) = if x > -3 && x < 3 then dy / 6 else 0;

/// 0 for x <= -3, dy for x >= 3, else dy * (x / 3 + 1/2).
fn hardswish_grad(dy, x) = if x <= -3 then 0 else if x < 3 then dy * (x / 3 + 0.5) else dy;

/// dy where x > threshold, else 0.
fn threshold_grad(dy, x, threshold) = if x > threshold then dy else 0;

/// 2 * relu(x) * dy.
fn squared_relu_grad(dy, x) = 2 * relu(x) * dy;

// ---- softmax ----

/// log sum_k e^x[k] without overflow; -inf where every x is, or there is none: lse[k](x[i, k]).
reduce lse[k](e) {
    let m = max[k](e);
    let c = if isinf(m) then 0 else m;
    return c + log(sum[k](exp(e - c)));
}

/// log sum_n e^x[..., n], -inf of a row of -inf: torch.logsumexp(x, -1). x: T[..., N] -> acc(T)[...].
fn logsumexp<T>(x: T[B..., N]) -> (y: acc(T)[B...]) {
    y[b...] = lse[n](x[b..., n]);
}

/// e^x[..., n] / sum_k e^x[..., k], shifted by the row's maximum; NaN in a row of -inf. x: T[..., N] -> acc(T)[..., N].
fn softmax<T>(x: T[B..., N]) -> (y: acc(T)[B..., N]) {
    let m[b...] = max[n](x[b..., n]);
    let e[b..., n] = exp(x[b..., n] - m[b...]);
    let s[b...] = sum[n](e[b..., n]);
    y[b..., n] = e[b..., n] / s[b...];
}

/// softmax(-x). x: T[..., N] -> acc(T)[..., N].
fn softmin<T>(x: T[B..., N]) -> (y: acc(T)[B..., N]) {
    let m[b...] = min[n](x[b..., n]);
    let e[b..., n] = exp(m[b...] - x[b..., n]);
    let s[b...] = sum[n](e[b..., n]);
    y[b..., n] = e[b..., n] / s[b...];
}

/// x - max x - log sum_n e^(x - max x): the logarithm of softmax. x: T[..., N] -> acc(T)[..., N].
fn log_softmax<T>(x: T[B..., N]) -> (y: acc(T)[B..., N]) {
    let m[b...] = max[n](x[b..., n]);
    let l[b...] = log(sum[n](exp(x[b..., n] - m[b...])));
    y[b..., n] = x[b..., n] - m[b...] - l[b...];
}

/// softmax over axis 1: torch.softmax(x, 1). x: T[N, C, ...] -> acc(T)[N, C, ...].
fn softmax_channels<T>(x: T[N, C, S...]) -> (y: acc(T)[N, C, S...]) {
    let m[n, s...] = max[c](x[n, c, s...]);
    let z[n, s...] = sum[c](exp(x[n, c, s...] - m[n, s...]));
    y[n, c, s...] = exp(x[n, c, s...] - m[n, s...]) / z[n, s...];
}

/// log_softmax over axis 1: torch.log_softmax(x, 1). x: T[N, C, ...] -> acc(T)[N, C, ...].
fn log_softmax_channels<T>(x: T[N, C, S...]) -> (y: acc(T)[N, C, S...]) {
    let m[n, s...] = max[c](x[n, c, s...]);
    let l[n, s...] = log(sum[c](exp(x[n, c, s...] - m[n, s...])));
    y[n, c, s...] = x[n, c, s...] - m[n, s...] - l[n, s...];
}

/// softmax over the elements whose mask is true; 0 elsewhere, and in a row whose mask is all false. What is masked out is
/// never read. x: T[..., N], mask: bool[..., N] -> acc(T)[..., N].
fn masked_softmax<T>(x: T[B..., N], mask: bool[B..., N]) -> (y: acc(T)[B..., N]) {
    let m[b...] = max[n where mask[b..., n]](x[b..., n]);
    let s[b...] = sum[n where mask[b..., n]](exp(x[b..., n] - m[b...]));
    y[b..., n] = if mask[b..., n] then exp(x[b..., n] - m[b...]) / s[b...] else 0;
}

/// dx of y = softmax(x): y * (dy - sum_n dy y). dy, y: T[..., N] -> acc(T)[..., N].
fn softmax_grad<T>(dy: T[B..., N], y: T[B..., N]) -> (dx: acc(T)[B..., N]) {
    let s[b...] = sum[n](dy[b..., n] * y[b..., n]);
    dx[b..., n] = y[b..., n] * (dy[b..., n] - s[b...]);
}

/// dx of y = log_softmax(x): dy - e^y * sum_n dy. dy, y: T[..., N] -> acc(T)[..., N].
fn log_softmax_grad<T>(dy: T[B..., N], y: T[B..., N]) -> (dx: acc(T)[B..., N]) {
    let s[b...] = sum[n](dy[b..., n]);
    dx[b..., n] = dy[b..., n] - exp(y[b..., n]) * s[b...];
}

// ---- dropout ----

/// x / (1 - p) where random(seed, stream, i) >= p, else 0; i is the row-major index. The same arguments drop the same
/// elements, in a backward pass too. Srivastava et al. 2014, JMLR 15. x: T[...] -> acc(T)[...].
fn dropout<T>(x: T[B...], seed: i64, stream: i64 = 0, p: acc(T) = 0.5) -> (y: acc(T)[B...]) {
    y[b...] = if random(seed, stream, flat(b...)) >= p then x[b...] / (1 - p) else 0;
}

// ---- losses. The function under the name of torch is the mean; NAME_none is the loss of one element, so that
// sum[b...](mse_loss_none(x[b...], t[b...])) is the sum. t is the target; it may have another float type than x. ----

/// (x - t)^2.
fn mse_loss_none(x, t) = (x - t) * (x - t);
/// |x - t|.
fn l1_loss_none(x, t) = abs(x - t);
/// With d = |x - t|: d^2 / (2 beta) where d < beta, else d - beta / 2. Girshick 2015, arXiv:1504.08083.
fn smooth_l1_loss_none(x, t, beta = 1.0) = if abs(x - t) < beta then 0.5 * (x - t) * (x - t) / beta else abs(x - t) - 0.5 * beta;
/// With d = |x - t|: d^2 / 2 where d <= delta, else delta * (d - delta / 2). Huber 1964.
fn huber_loss_none(x, t, delta = 1.0) = if abs(x - t) <= delta then 0.5 * (x - t) * (x - t) else delta * (abs(x - t) - 0.5 * delta);
/// -(t log x + (1 - t) log(1 - x)) of a probability x, logarithms not below -100.
fn binary_cross_entropy_none(x, t) = (t - 1) * max(log1p(-x), -100) - t * max(log(x), -100);
/// binary_cross_entropy of sigmoid(x), without overflow: (1 - t) x + w (log(1 + e^-|x|) + max(-x, 0)), with
/// w = 1 + (pos_weight - 1) t.
fn binary_cross_entropy_with_logits_none(x, t, pos_weight = 1.0)
    = (1 - t) * x + (1 + (pos_weight - 1) * t) * (log1p(exp(-abs(x))) + max(-x, 0));
/// t (log t - x) of a log-probability x and a probability t; 0 where t is 0.
fn kl_div_none(x, t) = xlogy(t, t) - t * x;
/// log(1 + e^(-t x)) for t = 1 or -1.
fn soft_margin_loss_none(x, t) = log1p(exp(-abs(t * x))) + max(-t * x, 0);
/// x where t = 1, max(0, margin - x) where t = -1.
fn hinge_embedding_loss_none(x, t, margin = 1.0) = if t > 0 then x else max(0, margin - x);
/// e^x - t x of the logarithm x of a Poisson rate.
fn poisson_nll_loss_none(x, t) = exp(x) - t * x;
/// (log v + (x - t)^2 / v) / 2 with v = max(variance, eps).
fn gaussian_nll_loss_none(x, t, variance, eps = 1e-6) = 0.5 * (log(max(variance, eps)) + (x - t) * (x - t) / max(variance, eps));
/// With p the probability that sigmoid(x) gives to t: alpha_t (1 - p)^2 (-log p), where alpha_t is alpha for t = 1, else
/// 1 - alpha. Lin et al. 2017, arXiv:1708.02002; torchvision.ops.sigmoid_focal_loss with gamma = 2.
fn sigmoid_focal_loss_none(x, t, alpha = 0.25) {
    let p = sigmoid(x);
    let q = p + t - 2 * p * t;
    return (alpha * t + (1 - alpha) * (1 - t)) * q * q * binary_cross_entropy_with_logits_none(x, t);
}

/// The mean of (x - t)^2. x: T[...], t: U[...] -> acc(T)[].
fn mse_loss<T, U>(x: T[B...], t: U[B...]) -> (y: acc(T)[]) { y[] = mean[b...](mse_loss_none(x[b...], t[b...])); }
/// The mean of |x - t|. x: T[...], t: U[...] -> acc(T)[].
fn l1_loss<T, U>(x: T[B...], t: U[B...]) -> (y: acc(T)[]) { y[] = mean[b...](l1_loss_none(x[b...], t[b...])); }
/// The mean of smooth_l1_loss_none. x: T[...], t: U[...] -> acc(T)[].
fn smooth_l1_loss<T, U>(x: T[B...], t: U[B...], beta: acc(T) = 1) -> (y: acc(T)[]) {
    y[] = mean[b...](smooth_l1_loss_none(x[b...], t[b...], beta = beta));
}
/// The mean of huber_loss_none. x: T[...], t: U[...] -> acc(T)[].
fn huber_loss<T, U>(x: T[B...], t: U[B...], delta: acc(T) = 1) -> (y: acc(T)[]) {
    y[] = mean[b...](huber_loss_none(x[b...], t[b...], delta = delta));
}
/// The mean of binary_cross_entropy_none. x: T[...] probabilities, t: U[...] -> acc(T)[].
fn binary_cross_entropy<T, U>(x: T[B...], t: U[B...]) -> (y: acc(T)[]) {
    y[] = mean[b...](binary_cross_entropy_none(x[b...], t[b...]));
}
/// The mean of binary_cross_entropy_with_logits_none. x: T[...], t: U[...] -> acc(T)[].
fn binary_cross_entropy_with_logits<T, U>(x: T[B...], t: U[B...], pos_weight: acc(T) = 1) -> (y: acc(T)[]) {
    y[] = mean[b...](binary_cross_entropy_with_logits_none(x[b...], t[b...], pos_weight = pos_weight));
}
/// The mean of kl_div_none over all elements. x: T[...] log-probabilities, t: U[...] probabilities -> acc(T)[].
fn kl_div<T, U>(x: T[B...], t: U[B...]) -> (y: acc(T)[]) { y[] = mean[b...](kl_div_none(x[b...], t[b...])); }
/// The sum of kl_div_none over all elements by the number of rows: reduction="batchmean". x: T[M, ...], t: U[M, ...] -> acc(T)[].
fn kl_div_batchmean<T, U>(x: T[M, B...], t: U[M, B...]) -> (y: acc(T)[]) {
    y[] = sum[m, b...](kl_div_none(x[m, b...], t[m, b...])) / acc(T)(M);
}
/// The mean of soft_margin_loss_none. x: T[...], t: U[...] of 1 and -1 -> acc(T)[].
fn soft_margin_loss<T, U>(x: T[B...], t: U[B...]) -> (y: acc(T)[]) {
    y[] = mean[b...](soft_margin_loss_none(x[b...], t[b...]));
}
/// The mean of hinge_embedding_loss_none. x: T[...], t: U[...] of 1 and -1 -> acc(T)[].
fn hinge_embedding_loss<T, U>(x: T[B...], t: U[B...], margin: acc(T) = 1) -> (y: acc(T)[]) {
    y[] = mean[b...](hinge_embedding_loss_none(x[b...], t[b...], margin = margin));
}
/// The mean of poisson_nll_loss_none. x: T[...], t: U[...] -> acc(T)[].
fn poisson_nll_loss<T, U>(x: T[B...], t: U[B...]) -> (y: acc(T)[]) {
    y[] = mean[b...](poisson_nll_loss_none(x[b...], t[b...]));
}
/// The mean of gaussian_nll_loss_none. x, variance: T[...], t: U[...] -> acc(T)[].
fn gaussian_nll_loss<T, U>(x: T[B...], t: U[B...], variance: T[B...], eps: acc(T) = 1e-6) -> (y: acc(T)[]) {
    y[] = mean[b...](gaussian_nll_loss_none(x[b...], t[b...], variance[b...], eps = eps));
}
/// The mean of sigmoid_focal_loss_none. x: T[...], t: U[...] -> acc(T)[].
fn sigmoid_focal_loss<T, U>(x: T[B...], t: U[B...], alpha: acc(T) = 0.25) -> (y: acc(T)[]) {
    y[] = mean[b...](sigmoid_focal_loss_none(x[b...], t[b...], alpha = alpha));
}

// ---- losses of rows: x[..., v] belongs to class v, t holds the class, or ignore_index where a row does not count ----

/// -weight[t] * x[..., t] of each row of log-probabilities, 0 where t = ignore_index. x: T[..., V], t: I[...],
/// weight: T[V] -> acc(T)[...].
fn nll_loss_none<T, I>(x: T[B..., V], t: I[B...], weight: T[V] = 1, ignore_index: i64 = (-100)) -> (y: acc(T)[B...]) {
    assume t[b...] == ignore_index || 0 <= t[b...] && t[b...] < V;
    y[b...] = if t[b...] != ignore_index then -weight[t[b...]] * x[b..., t[b...]] else 0;
}

/// The sum of weight[t] over the rows that count: what the mean of nll_loss and cross_entropy divides by.
/// t: I[...], weight: T[V] -> acc(T)[].
fn class_weight_sum<T, I>(t: I[B...], weight: T[V] = 1, ignore_index: i64 = (-100)) -> (y: acc(T)[]) {
    assume t[b...] == ignore_index || 0 <= t[b...] && t[b...] < V;
    y[] = sum[b... where t[b...] != ignore_index](acc(T)(weight[t[b...]]));
}

/// The weighted mean of nll_loss_none; NaN where no row counts. x: T[..., V], t: I[...], weight: T[V] -> acc(T)[].
fn nll_loss<T, I>(x: T[B..., V], t: I[B...], weight: T[V] = 1, ignore_index: i64 = (-100)) -> (y: acc(T)[]) {
    let r = nll_loss_none(x, t, weight, ignore_index);
    let w = class_weight_sum(t, weight, ignore_index);
    y[] = sum[b...](r[b...]) / w[];
}

/// Of each row of logits, with p = log_softmax(x): (1 - s) * -weight[t] p[t] + s / V * sum_v -weight[v] p[v], s the label
/// smoothing; 0 where t = ignore_index. Szegedy et al. 2015, arXiv:1512.00567, as torch weights it.
/// x: T[..., V], t: I[...], weight: T[V] -> acc(T)[...].
fn cross_entropy_none<T, I>(x: T[B..., V], t: I[B...], weight: T[V] = 1, ignore_index: i64 = (-100),
                            label_smoothing: acc(T) = 0) -> (y: acc(T)[B...]) {
    assume t[b...] == ignore_index || 0 <= t[b...] && t[b...] < V;
    let m[b...] = max[v](x[b..., v]);
    let l[b...] = m[b...] + log(sum[v](exp(x[b..., v] - m[b...])));
    let all[b...] = sum[v](weight[v] * (l[b...] - x[b..., v]));
    y[b...] = if t[b...] == ignore_index then 0
              else if label_smoothing == 0 then weight[t[b...]] * (l[b...] - x[b..., t[b...]])
              else (1 - label_smoothing) * weight[t[b...]] * (l[b...] - x[b..., t[b...]]) + label_smoothing / V * all[b...];
}

/// The sum of cross_entropy_none: reduction="sum". x: T[..., V], t: I[...], weight: T[V] -> acc(T)[].
fn cross_entropy_sum<T, I>(x: T[B..., V], t: I[B...], weight: T[V] = 1, ignore_index: i64 = (-100),
                           label_smoothing: acc(T) = 0) -> (y: acc(T)[]) {
    let r = cross_entropy_none(x, t, weight, ignore_index, label_smoothing);
    y[] = sum[b...](r[b...]);
}

/// The weighted mean of cross_entropy_none; NaN where no row counts. x: T[..., V], t: I[...], weight: T[V] -> acc(T)[].
fn cross_entropy<T, I>(x: T[B..., V], t: I[B...], weight: T[V] = 1, ignore_index: i64 = (-100),
                       label_smoothing: acc(T) = 0) -> (y: acc(T)[]) {
    let r = cross_entropy_none(x, t, weight, ignore_index, label_smoothing);
    let w = class_weight_sum(t, weight, ignore_index);
    y[] = sum[b...](r[b...]) / w[];
}

/// cross_entropy with the classes on axis 1, as torch has them. x: T[N, C, ...], t: I[N, ...], weight: T[C] -> acc(T)[].
fn cross_entropy_channels<T, I>(x: T[N, C, S...], t: I[N, S...], weight: T[C] = 1, ignore_index: i64 = (-100),
                                label_smoothing: acc(T) = 0) -> (y: acc(T)[]) {
    let last[n, s..., c] = x[n, c, s...];
    y = cross_entropy(last, t, weight, ignore_index, label_smoothing);
}

/// The mean over rows of -sum_v t[..., v] log_softmax(x)[..., v], for targets that are probabilities.
/// x: T[..., V], t: U[..., V] -> acc(T)[].
fn cross_entropy_soft<T, U>(x: T[B..., V], t: U[B..., V]) -> (y: acc(T)[]) {
    let p = log_softmax(x);
    y[] = mean[b...](sum[v](-t[b..., v] * p[b..., v]));
}

/// dx of the mean cross_entropy without weights and smoothing: (softmax(x)[..., v] - (v = t)) * dy / rows that count, 0 in
/// a row that is ignored. x: T[..., V], t: I[...], dy: acc(T)[] -> acc(T)[..., V].
fn cross_entropy_grad<T, I>(dy: acc(T)[], x: T[B..., V], t: I[B...], ignore_index: i64 = (-100)) -> (dx: acc(T)[B..., V]) {
    let n = sum[b...](i64(t[b...] != ignore_index));
    let p = softmax(x);
    dx[b..., v] = if t[b...] == ignore_index then 0
                  else (p[b..., v] - (if v == t[b...] then 1.0 else 0.0)) * dy[] / acc(T)(n);
}
