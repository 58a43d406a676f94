// Optimizers: one step on one tensor, in place. p are the parameters, g their gradient, m and v the optimizer's state, which
// starts at 0; each may have a float type of its own, and arithmetic is in acc(T). Of the gradient, g * grad_scale is used
// (1 / loss scale, or clip_coefficient). Where skip[] is not 0 nothing changes (a gradient that overflowed). In an equation of
// the caller, new(p) is the value after the step: w16[i] = new(p)[i] writes a 16-bit copy in the same pass.
// step counts from 1. Names and defaults are those of torch.optim.

// ---- steps ----

/// p - lr (g + weight_decay p): torch.optim.SGD. p: T[...], updated, g: G[...], lr: acc(T), skip: i32[].
fn sgd<T, G>(inout p: T[N...], g: G[N...], lr: acc(T), weight_decay: acc(T) = 0, grad_scale: acc(T) = 1, skip: i32[] = 0) {
    p[n...] = p[n...] - lr * (g[n...] * grad_scale + weight_decay * p[n...]) where skip[] == 0;
}

/// With h = g + weight_decay p: m = momentum m + (1 - dampening) h, then p - lr m, or with nesterov p - lr (h + momentum m).
/// Sutskever et al. 2013; torch.optim.SGD(momentum). p: T[...], m: M[...], updated, g: G[...], lr: acc(T), skip: i32[].
fn sgd_momentum<T, M, G, nesterov: bool = false>(inout p: T[N...], inout m: M[N...], g: G[N...], lr: acc(T),
    momentum: acc(T) = 0.9, dampening: acc(T) = 0, weight_decay: acc(T) = 0, grad_scale: acc(T) = 1, skip: i32[] = 0) {
    let h[n...] = g[n...] * grad_scale + weight_decay * p[n...];
    let u[n...] = momentum * m[n...] + (1 - dampening) * h[n...];
    m[n...] = u[n...] where skip[] == 0;
    p[n...] = p[n...] - lr * (if nesterov then h[n...] + momentum * u[n...] else u[n...]) where skip[] == 0;
}

/// 1 - beta^step, without cancellation, by expm1: what Adam's moments are divided by.
fn bias_correction(beta, step) = -expm1(step * log(beta));

/// With h = g + weight_decay p: m = beta1 m + (1 - beta1) h, v = beta2 v + (1 - beta2) h^2,
/// p - lr (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + eps). Kingma and Ba 2014, arXiv:1412.6980; torch.optim.Adam.
/// p: T[...], m, v: M[...], updated, g: G[...], lr: acc(T), step: i64, skip: i32[].
fn adam<T, M, G>(inout p: T[N...], inout m: M[N...], inout v: M[N...], g: G[N...], step: i64, lr: acc(T) = 1e-3,
    beta1: acc(T) = 0.9, beta2: acc(T) = 0.999, eps: acc(T) = 1e-8, weight_decay: acc(T) = 0, grad_scale: acc(T) = 1,
    skip: i32[] = 0) {
    let c1 = bias_correction(beta1, acc(T)(step));
    let c2 = bias_correction(beta2, acc(T)(step));
    let h[n...] = g[n...] * grad_scale + weight_decay * p[n...];
    let a[n...] = beta1 * m[n...] + (1 - beta1) * h[n...];
    let b[n...] = beta2 * v[n...] + (1 - beta2) * h[n...] * h[n...];
    m[n...] = a[n...] where skip[] == 0;
    v[n...] = b[n...] where skip[] == 0;
    p[n...] = p[n...] - lr / c1 * a[n...] / (sqrt(b[n...] / c2) + eps) where skip[] == 0;
}

/// adam with weight decay apart from the gradient: p (1 - lr weight_decay) before the step. Loshchilov and Hutter 2017,
/// arXiv:1711.05101; torch.optim.AdamW. p: T[...], m, v: M[...], updated, g: G[...], lr: acc(T), step: i64, skip: i32[].
fn adamw<T, M, G>(inout p: T[N...], inout m: M[N...], inout v: M[N...], g: G[N...], step: i64, lr: acc(T) = 1e-3,
    beta1: acc(T) = 0.9, beta2: acc(T) = 0.999, eps: acc(T) = 1e-8, weight_decay: acc(T) = 0.01, grad_scale: acc(T) = 1,
    skip: i32[] = 0) {
    let c1 = bias_correction(beta1, acc(T)(step));
    let c2 = bias_correction(beta2, acc(T)(step));
    let h[n...] = g[n...] * grad_scale;
    let a[n...] = beta1 * m[n...] + (1 - beta1) * h[n...];
    let b[n...] = beta2 * v[n...] + (1 - beta2) * h[n...] * h[n...];
    m[n...] = a[n...] where skip[] == 0;
    v[n...] = b[n...] where skip[] == 0;
    p[n...] = p[n...] * (1 - lr * weight_decay) - lr / c1 * a[n...] / (sqrt(b[n...] / c2) + eps) where skip[] == 0;
}

/// adamw whose v is the largest so far: w = max(w, v), p (1 - lr weight_decay) - lr m' / (sqrt(w / (1 - beta2^step)) + eps).
/// Reddi et al. 2018, arXiv:1904.09237; torch.optim.AdamW(amsgrad=True). p: T[...], m, v, w: M[...], updated, g: G[...],
/// step: i64.
fn amsgrad<T, M, G>(inout p: T[N...], inout m: M[N...], inout v: M[N...], inout w: M[N...], g: G[N...], step: i64,
    lr: acc(T) = 1e-3, beta1: acc(T) = 0.9, beta2: acc(T) = 0.999, eps: acc(T) = 1e-8, weight_decay: acc(T) = 0.01,
    grad_scale: acc(T) = 1) {
    let c1 = bias_correction(beta1, acc(T)(step));
    let c2 = bias_correction(beta2, acc(T)(step));
    let h[n...] = g[n...] * grad_scale;
    let a[n...] = beta1 * m[n...] + (1 - beta1) * h[n...];
    let b[n...] = beta2 * v[n...] + (1 - beta2) * h[n...] * h[n...];
    let most[n...] = max(w[n...], b[n...]);
    m[n...] = a[n...];
    v[n...] = b[n...];
    w[n...] = most[n...];
    p[n...] = p[n...] * (1 - lr * weight_decay) - lr / c1 * a[n...] / (sqrt(most[n...] / c2) + eps);
}

/// p (1 - lr weight_decay) - lr m / (1 - beta1^step) / v with v = max(beta2 v, |g| + eps). Kingma and Ba 2014, section 7;
/// torch.optim.Adamax. p: T[...], m, v: M[...], updated, g: G[...], step: i64.
fn adamax<T, M, G>(inout p: T[N...], inout m: M[N...], inout v: M[N...], g: G[N...], step: i64, lr: acc(T) = 2e-3,
    beta1: acc(T) = 0.9, beta2: acc(T) = 0.999, eps: acc(T) = 1e-8, weight_decay: acc(T) = 0, grad_scale: acc(T) = 1) {
    let c1 = bias_correction(beta1, acc(T)(step));
    let h[n...] = g[n...] * grad_scale + weight_decay * p[n...];
    let a[n...] = beta1 * m[n...] + (1 - beta1) * h[n...];
    let b[n...] = max(beta2 * v[n...], abs(h[n...]) + eps);
    m[n...] = a[n...];
    v[n...] = b[n...];
    p[n...] = p[n...] - lr / c1 * a[n...] / b[n...];
}

/// p (1 - lr weight_decay) - lr sign(beta1 m + (1 - beta1) g), then m = beta2 m + (1 - beta2) g. Chen et al. 2023,
/// arXiv:2302.06675. p: T[...], m: M[...], updated, g: G[...], lr: acc(T).
fn lion<T, M, G>(inout p: T[N...], inout m: M[N...], g: G[N...], lr: acc(T) = 1e-4, beta1: acc(T) = 0.9,
    beta2: acc(T) = 0.99, weight_decay: acc(T) = 0, grad_scale: acc(T) = 1) {
    let h[n...] = g[n...] * grad_scale;
    p[n...] = p[n...] * (1 - lr * weight_decay) - lr * sign(beta1 * m[n...] + (1 - beta1) * h[n...]);
    m[n...] = beta2 * m[n...] + (1 - beta2) * h[n...];
}

/// With h = g + weight_decay p: v = alpha v + (1 - alpha) h^2, p - lr h / (sqrt(v) + eps). Tieleman and Hinton 2012;
/// torch.optim.RMSprop. p: T[...], v: M[...], updated, g: G[...], lr: acc(T).
fn rmsprop<T, M, G>(inout p: T[N...], inout v: M[N...], g: G[N...], lr: acc(T) = 1e-2, alpha: acc(T) = 0.99,
    eps: acc(T) = 1e-8, weight_decay: acc(T) = 0, grad_scale: acc(T) = 1) {
    let h[n...] = g[n...] * grad_scale + weight_decay * p[n...];
    let b[n...] = alpha * v[n...] + (1 - alpha) * h[n...] * h[n...];
    v[n...] = b[n...];
    p[n...] = p[n...] - lr * h[n...] / (sqrt(b[n...]) + eps);
}

/// rmsprop whose step goes through a momentum: m = momentum m + h / (sqrt(v) + eps), p - lr m; with centered, v less the
/// square of the mean gradient a = alpha a + (1 - alpha) h. torch.optim.RMSprop(momentum, centered).
/// p: T[...], v, m, a: M[...], updated (a even where not centered), g: G[...], lr: acc(T).
fn rmsprop_momentum<T, M, G, centered: bool = false>(inout p: T[N...], inout v: M[N...], inout m: M[N...], inout a: M[N...],
    g: G[N...], lr: acc(T) = 1e-2, alpha: acc(T) = 0.99, momentum: acc(T) = 0.9, eps: acc(T) = 1e-8,
    weight_decay: acc(T) = 0, grad_scale: acc(T) = 1) {
    let h[n...] = g[n...] * grad_scale + weight_decay * p[n...];
    let b[n...] = alpha * v[n...] + (1 - alpha) * h[n...] * h[n...];
    let mu[n...] = alpha * a[n...] + (1 - alpha) * h[n...];
    let u[n...] = momentum * m[n...] + h[n...] / (sqrt(if centered then b[n...] - mu[n...] * mu[n...] else b[n...]) + eps);
    v[n...] = b[n...];
    a[n...] = mu[n...];
    m[n...] = u[n...];
    p[n...] = p[n...] - lr * u[n...];
}

/// With h = g + weight_decay p: v = v + h^2, p - lr / (1 + (step - 1) lr_decay) h / (sqrt(v) + eps). Duchi et al. 2011;
/// torch.optim.Adagrad. p: T[...], v: M[...], updated, g: G[...], step: i64.
fn adagrad<T, M, G>(inout p: T[N...], inout v: M[N...], g: G[N...], step: i64 = 1, lr: acc(T) = 1e-2, lr_decay: acc(T) = 0,
    eps: acc(T) = 1e-10, weight_decay: acc(T) = 0, grad_scale: acc(T) = 1) {
    let h[n...] = g[n...] * grad_scale + weight_decay * p[n...];
    let b[n...] = v[n...] + h[n...] * h[n...];
    v[n...] = b[n...];
    p[n...] = p[n...] - lr / (1 + acc(T)(step - 1) * lr_decay) * h[n...] / (sqrt(b[n...]) + eps);
}

/// With h = g + weight_decay p: v = rho v + (1 - rho) h^2, d = sqrt(u + eps) / sqrt(v + eps) h, u = rho u + (1 - rho) d^2,
/// p - lr d. Zeiler 2012, arXiv:1212.5701; torch.optim.Adadelta. p: T[...], v, u: M[...], updated, g: G[...], lr: acc(T).
fn adadelta<T, M, G>(inout p: T[N...], inout v: M[N...], inout u: M[N...], g: G[N...], lr: acc(T) = 1, rho: acc(T) = 0.9,
    eps: acc(T) = 1e-6, weight_decay: acc(T) = 0, grad_scale: acc(T) = 1) {
    let h[n...] = g[n...] * grad_scale + weight_decay * p[n...];
    let b[n...] = rho * v[n...] + (1 - rho) * h[n...] * h[n...];
    let d[n...] = sqrt(u[n...] + eps) / sqrt(b[n...] + eps) * h[n...];
    v[n...] = b[n...];
    u[n...] = rho * u[n...] + (1 - rho) * d[n...] * d[n...];
    p[n...] = p[n...] - lr * d[n...];
}

/// adamw's direction d = m' / (sqrt(v') + eps) + weight_decay p, scaled by |p| / |d| (1 where either is 0):
/// p - lr |p| / |d| d. You et al. 2019, arXiv:1904.00962. p: T[...], m, v: M[...], updated, g: G[...], step: i64.
fn lamb<T, M, G>(inout p: T[N...], inout m: M[N...], inout v: M[N...], g: G[N...], step: i64, lr: acc(T) = 1e-3,
    beta1: acc(T) = 0.9, beta2: acc(T) = 0.999, eps: acc(T) = 1e-6, weight_decay: acc(T) = 0.01, grad_scale: acc(T) = 1) {
    let c1 = bias_correction(beta1, acc(T)(step));
    let c2 = bias_correction(beta2, acc(T)(step));
    let h[n...] = g[n...] * grad_scale;
    let a[n...] = beta1 * m[n...] + (1 - beta1) * h[n...];
    let b[n...] = beta2 * v[n...] + (1 - beta2) * h[n...] * h[n...];
    let d[n...] = a[n...] / c1 / (sqrt(b[n...] / c2) + eps) + weight_decay * p[n...];
    let pp = sqrt(sum[n...](p[n...] * p[n...]));
    let dd = sqrt(sum[n...](d[n...] * d[n...]));
    let trust = if pp > 0 && dd > 0 then pp / dd else 1.0;
    m[n...] = a[n...];
    v[n...] = b[n...];
    p[n...] = p[n...] - lr * trust * d[n...];
}

/// sgd_momentum with h scaled by trust |p| / (|g| + weight_decay |p| + eps) (1 where |p| or |g| is 0). You et al. 2017,
/// arXiv:1708.03888. p: T[...], m: M[...], updated, g: G[...], lr: acc(T).
fn lars<T, M, G>(inout p: T[N...], inout m: M[N...], g: G[N...], lr: acc(T), momentum: acc(T) = 0.9,
    weight_decay: acc(T) = 0, trust: acc(T) = 1e-3, eps: acc(T) = 1e-8, grad_scale: acc(T) = 1) {
    let h[n...] = g[n...] * grad_scale;
    let pp = sqrt(sum[n...](p[n...] * p[n...]));
    let gg = sqrt(sum[n...](h[n...] * h[n...]));
    let rate = if pp > 0 && gg > 0 then trust * pp / (gg + weight_decay * pp + eps) else 1.0;
    let u[n...] = momentum * m[n...] + rate * (h[n...] + weight_decay * p[n...]);
    m[n...] = u[n...];
    p[n...] = p[n...] - lr * u[n...];
}

/// An exponential mean of parameters: e = decay e + (1 - decay) p. e: T[...], updated, p: P[...], decay: acc(T).
fn ema<T, P>(inout e: T[N...], p: P[N...], decay: acc(T)) { e[n...] = decay * e[n...] + (1 - decay) * p[n...]; }

// ---- gradients ----

/// The sum of squares, whose sum over all gradients gives their common norm. g: T[...] -> acc(T)[].
fn sum_squares<T>(g: T[N...]) -> (s: acc(T)[]) { s[] = sum[n...](g[n...] * g[n...]); }

/// min(1, max_norm / (norm + 1e-6)): the grad_scale that clips gradients of this norm, as torch.nn.utils.clip_grad_norm_.
fn clip_coefficient(norm, max_norm) = min(1, max_norm / (norm + 1e-6));

/// Scales g so that its norm is at most max_norm, and gives the norm before: torch.nn.utils.clip_grad_norm_ of one tensor.
/// g: T[...], updated, max_norm: acc(T) -> acc(T)[].
fn clip_grad_norm<T>(inout g: T[N...], max_norm: acc(T)) -> (norm: acc(T)[]) {
    let r = sqrt(sum[n...](g[n...] * g[n...]));
    g[n...] = g[n...] * clip_coefficient(r, max_norm);
    norm[] = r;
}

/// Limits g to -limit..limit: torch.nn.utils.clip_grad_value_. g: T[...], updated, limit: acc(T).
fn clip_grad_value<T>(inout g: T[N...], limit: acc(T)) { g[n...] = clamp(g[n...], -limit, limit); }

/// g * scale, and whether an infinity or NaN is in it: torch.cuda.amp.GradScaler's unscale_. g: T[...], updated,
/// scale: acc(T) -> i32[], 1 where one is, for the optimizers' skip.
fn unscale<T>(inout g: T[N...], scale: acc(T)) -> (skip: i32[]) {
    skip[] = if any[n...](!isfinite(g[n...])) then 1 else 0;
    g[n...] = g[n...] * scale;
}

// ---- learning rates: functions of the step, an integer from 0; with export fn they run on the host:
// export fn lr(step: i32) -> f32 = cosine_decay(step, 10000, base = 3e-4); ----

/// base * (step + 1) / warmup up to warmup, then base.
fn linear_warmup(step, warmup, base = 1.0) = base * min(1.0, (f32(step) + 1) / f32(warmup));

/// last + (base - last) (1 + cos(pi step / total)) / 2, last from total on. Loshchilov and Hutter 2016, arXiv:1608.03983.
fn cosine_decay(step, total, base = 1.0, last = 0.0)
    = last + (base - last) * 0.5 * (1 + cos(3.14159265358979323846 * min(1.0, f32(step) / f32(total))));

/// last + (base - last) (1 - step / total)^power, last from total on.
fn polynomial_decay(step, total, base = 1.0, last = 0.0, power = 2.0)
    = last + (base - last) * max(0.0, 1 - f32(step) / f32(total)) ** power;

/// base * factor^floor(step / every): torch.optim.lr_scheduler.StepLR.
fn step_decay(step, every, base = 1.0, factor = 0.1) = base * factor ** floor(f32(step) / f32(every));

/// base * min(1 / sqrt(step + 1), (step + 1) / warmup^1.5): rising up to warmup, then as 1 / sqrt.
/// Vaswani et al. 2017, arXiv:1706.03762.
fn inverse_sqrt_decay(step, warmup, base = 1.0)
    = base * min(rsqrt(f32(step) + 1), (f32(step) + 1) / (f32(warmup) * sqrt(f32(warmup))));
