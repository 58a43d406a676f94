"""References of stdlib/optim.td. States are drawn as training leaves them: second moments not negative."""
import numpy as np
from harness import case, given, ints, uniform

second = uniform(0, 2)
N = [dict(N=17), dict(N=1), dict(N=0)]


def instance(name, ref, types, draw={}, scalars={}, skip=None, **flags):
    """The function as an export, every parameter at its default or from `scalars`; float states in float64 too."""
    d = dict(draw)
    if skip is not None:
        d["skip"] = given(skip)
    flag = "".join(f", {k} = {v}" for k, v in flags.items())
    case(name, f"{name}({types}{flag}, N = [K, L])", ref, [dict(K=3, L=5), dict(K=1, L=1), dict(K=0, L=2)], d, scalars)


two, three = "T = f64, G = f64", "T = f64, M = f64, G = f64"
for skip in (0, 1):
    kept = lambda new, old, skip=skip: tuple(old) if skip else new
    instance("sgd", lambda p, g, lr, weight_decay, grad_scale, kept=kept:
             kept((p - lr * (grad_scale * g + weight_decay * p),), (p,)), two,
             scalars=dict(lr=.1, weight_decay=.01, grad_scale=.5), skip=skip)

    def momentum(p, m, g, lr, momentum, dampening, weight_decay, grad_scale, nesterov=False, kept=kept):
        h = grad_scale * g + weight_decay * p
        u = momentum * m + (1 - dampening) * h
        return kept((p - lr * (h + momentum * u if nesterov else u), u), (p, m))
    s = dict(lr=.1, momentum=.8, dampening=.25, weight_decay=.01, grad_scale=.5)
    instance("sgd_momentum", momentum, three, scalars=s, skip=skip)
    instance("sgd_momentum", lambda p, m, g, lr, momentum, dampening, weight_decay, grad_scale, f=momentum:
             f(p, m, g, lr, momentum, dampening, weight_decay, grad_scale, True), three, scalars=s, skip=skip, nesterov="true")

    def adam(p, m, v, g, step, lr, beta1, beta2, eps, weight_decay, grad_scale, kept=kept, decoupled=False):
        h = grad_scale * g + (0 if decoupled else weight_decay * p)
        a, b = beta1 * m + (1 - beta1) * h, beta2 * v + (1 - beta2) * h**2
        q = p * (1 - lr * weight_decay) if decoupled else p
        q = q - lr * (a / (1 - beta1**step)) / (np.sqrt(b / (1 - beta2**step)) + eps)
        return kept((q, a, b), (p, m, v))
    for t in (1, 1000):
        s = dict(step=t, lr=.1, eps=1e-3, weight_decay=.02, grad_scale=.5)
        instance("adam", adam, three, dict(v=second), s, skip)
        instance("adamw", lambda p, m, v, g, step, lr, beta1, beta2, eps, weight_decay, grad_scale, f=adam:
                 f(p, m, v, g, step, lr, beta1, beta2, eps, weight_decay, grad_scale, decoupled=True), three, dict(v=second), s, skip)

case("bias_correction", "export fn it(b: f64[N], t: i64[N]) -> (c: f64[N]) { c[n] = bias_correction(b[n], f64(t[n])); }",
     lambda b, t: 1 - b**t, N, dict(b=uniform(0, 1), t=ints(1, 500)))


def amsgrad(p, m, v, w, g, step, lr, beta1, beta2, eps, weight_decay, grad_scale):
    h = grad_scale * g
    a, b = beta1 * m + (1 - beta1) * h, beta2 * v + (1 - beta2) * h**2
    w = np.maximum(w, b)
    return p * (1 - lr * weight_decay) - lr * (a / (1 - beta1**step)) / (np.sqrt(w / (1 - beta2**step)) + eps), a, b, w


def adamax(p, m, v, g, step, lr, beta1, beta2, eps, weight_decay, grad_scale):
    h = grad_scale * g + weight_decay * p
    a, b = beta1 * m + (1 - beta1) * h, np.maximum(beta2 * v, abs(h) + eps)
    return p - lr * (a / (1 - beta1**step)) / b, a, b


def lion(p, m, g, lr, beta1, beta2, weight_decay, grad_scale):
    h = grad_scale * g
    return p * (1 - lr * weight_decay) - lr * np.sign(beta1 * m + (1 - beta1) * h), beta2 * m + (1 - beta2) * h


def rmsprop(p, v, g, lr, alpha, eps, weight_decay, grad_scale):
    h = grad_scale * g + weight_decay * p
    v = alpha * v + (1 - alpha) * h**2
    return p - lr * h / (np.sqrt(v) + eps), v


def rmsprop_momentum(p, v, m, a, g, lr, alpha, momentum, eps, weight_decay, grad_scale, centered=False):
    h = grad_scale * g + weight_decay * p
    v, a = alpha * v + (1 - alpha) * h**2, alpha * a + (1 - alpha) * h
    m = momentum * m + h / (np.sqrt(v - a**2 if centered else v) + eps)
    return p - lr * m, v, m, a


def adagrad(p, v, g, step, lr, lr_decay, eps, weight_decay, grad_scale):
    h = grad_scale * g + weight_decay * p
    return p - lr / (1 + (step - 1) * lr_decay) * h / (np.sqrt(v + h**2) + eps), v + h**2


def adadelta(p, v, u, g, lr, rho, eps, weight_decay, grad_scale):
    h = grad_scale * g + weight_decay * p
    v = rho * v + (1 - rho) * h**2
    d = np.sqrt(u + eps) / np.sqrt(v + eps) * h
    return p - lr * d, v, rho * u + (1 - rho) * d**2


def lamb(p, m, v, g, step, lr, beta1, beta2, eps, weight_decay, grad_scale):
    h = grad_scale * g
    m, v = beta1 * m + (1 - beta1) * h, beta2 * v + (1 - beta2) * h**2
    d = m / (1 - beta1**step) / (np.sqrt(v / (1 - beta2**step)) + eps) + weight_decay * p
    a, b = np.linalg.norm(p), np.linalg.norm(d)
    return p - lr * (a / b if a > 0 and b > 0 else 1) * d, m, v


def lars(p, m, g, lr, momentum, weight_decay, trust, eps, grad_scale):
    h = grad_scale * g
    a, b = np.linalg.norm(p), np.linalg.norm(h)
    m = momentum * m + (trust * a / (b + weight_decay * a + eps) if a > 0 and b > 0 else 1) * (h + weight_decay * p)
    return p - lr * m, m


s = dict(lr=.1, weight_decay=.02, grad_scale=.5)
instance("amsgrad", amsgrad, three, dict(v=second, w=second), dict(s, step=3))
instance("adamax", adamax, three, dict(v=second), dict(s, step=3))
instance("lion", lion, three, {}, s)
instance("rmsprop", rmsprop, three, dict(v=second), dict(s, alpha=.9))
instance("rmsprop_momentum", rmsprop_momentum, three, dict(v=second), dict(s, alpha=.9))
instance("rmsprop_momentum", lambda p, v, m, a, g, lr, alpha, momentum, eps, weight_decay, grad_scale:
         rmsprop_momentum(p, v, m, a, g, lr, alpha, momentum, eps, weight_decay, grad_scale, True), three,
         dict(v=uniform(3, 4), a=uniform(-1, 1)), dict(s, alpha=.9), centered="true")
instance("adagrad", adagrad, three, dict(v=second), dict(s, step=5, lr_decay=.1))
instance("adadelta", adadelta, three, dict(v=second, u=second), s)
for zero in ({}, dict(p=given(0))):
    instance("lamb", lamb, three, dict(v=second, **zero), dict(s, step=3))
    instance("lars", lars, three, zero, s)
instance("ema", lambda e, p, decay: decay * e + (1 - decay) * p, "T = f64, P = f64", scalars=dict(decay=.75))

# ---- gradients ----
case("sum_squares", "sum_squares(T = f64, N = [K, L])", lambda g: (g * g).sum())
case("clip_coefficient", "export fn it(x: f64[N]) -> (y: f64[N]) { y[n] = clip_coefficient(x[n], 1.5); }",
     lambda x: np.minimum(1, 1.5 / (x + 1e-6)), N, dict(x=uniform(0, 4)))
for limit in (.5, 100.):
    case("clip_grad_norm", "clip_grad_norm(T = f64, N = [K, L])", lambda g, max_norm:
         (g * min(1, max_norm / (np.linalg.norm(g) + 1e-6)), np.linalg.norm(g)), scalars=dict(max_norm=limit))
case("clip_grad_value", "clip_grad_value(T = f64, N = [K])", lambda g, limit: np.clip(g, -limit, limit), scalars=dict(limit=.5))
for bad in (None, np.nan, -np.inf):
    case("unscale", "unscale(T = f64, N = [K])", lambda g, scale: (g * scale, np.int32(not np.isfinite(g).all())), scalars=dict(scale=.25),
         draw={} if bad is None else dict(g=lambda rng, shape, dims, bad=bad: np.where(np.arange(*shape) == 1, bad, 2.)))

# ---- learning rates, in f32 ----
steps = [0, 1, 9, 99, 100, 101, 250, 1000]


def rate(name, call, ref):
    case(name, f"export fn it(t: i32[N]) -> (y: f32[N]) {{ y[n] = {name}(t[n], {call}); }}", lambda t: ref(t.astype(float)),
         [dict(N=len(steps))], dict(t=given(steps)))


rate("linear_warmup", "100, base = 0.5", lambda t: .5 * np.minimum(1, (t + 1) / 100))
rate("cosine_decay", "250, base = 2.0, last = 0.5", lambda t: .5 + 1.5 * (1 + np.cos(np.pi * np.minimum(1, t / 250))) / 2)
rate("polynomial_decay", "250, base = 2.0, last = 0.5, power = 1.5", lambda t: .5 + 1.5 * np.maximum(0, 1 - t / 250) ** 1.5)
rate("polynomial_decay", "250", lambda t: np.maximum(0, 1 - t / 250) ** 2)
rate("step_decay", "100, factor = 0.5", lambda t: .5 ** (t // 100))
rate("inverse_sqrt_decay", "100", lambda t: np.minimum((t + 1) ** -.5, (t + 1) * 100 ** -1.5))
