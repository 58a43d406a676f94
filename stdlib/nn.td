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
fn gelu_tanh(x) = 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));

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
