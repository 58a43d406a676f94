"""References of stdlib/norm.td. `over` names the axes of the statistics, `of` the axis of weight and bias."""
import math
import numpy as np
from harness import case, uniform


def along(v, x, of):
    """A vector as a factor of x along one axis."""
    shape = [1] * x.ndim
    shape[of] = -1
    return np.reshape(v, shape)


def stats(x, over, eps):
    if any(x.shape[a] == 0 for a in over):
        x = np.full([1 if a in over or a - x.ndim in over else n for a, n in enumerate(x.shape)], np.nan)
    return x.mean(over, keepdims=True), 1 / np.sqrt(x.var(over, keepdims=True) + eps)


def norm(x, over, of, weight=1., bias=0., eps=1e-5):
    mu, inv = stats(x, over, eps)
    return (x - mu) * inv * along(weight, x, of) + along(bias, x, of)


def silu(x):
    return x / (1 + np.exp(-x))


def grads(dy, x, weight, over, of, eps=1e-5):
    """dx, dweight, dbias of norm, from its Jacobian: centring and scaling are projections."""
    mu, inv = stats(x, over, eps)
    h = (x - mu) * inv
    g = dy * along(weight, x, of)
    n = math.prod(x.shape[a] for a in over)
    dx = inv * (g - g.sum(over, keepdims=True) / n - h * (g * h).sum(over, keepdims=True) / n)
    rest = tuple(a for a in range(x.ndim) if a != of % x.ndim)
    return dx, (dy * h).sum(rest), dy.sum(rest)


positive = dict(running_var=uniform(.2, 3))
rows = [dict(M=5, N=7), dict(M=1, N=1), dict(M=0, N=3), dict(M=3, N=0), dict(M=2, N=133)]
plain = [s for s in rows if s["N"]]
export = "{}(T = f64, B = [M])".format
LN = lambda x, weight=1., bias=0., eps=1e-5: norm(x, (-1,), -1, weight, bias, eps)
case("layer_norm", export("layer_norm"), LN, rows, torch="F.layer_norm(x, x.shape[1:], weight, bias, eps)")
case("layer_norm", "export fn it(x: f64[N]) -> (y: f64[N]) { y = layer_norm(x, eps = 0.1, act = relu); }",
     lambda x: np.maximum(LN(x, eps=.1), 0), [dict(N=9)])
saved = lambda x, over, eps=1e-5: tuple(s.reshape([n for a, n in enumerate(s.shape) if a - s.ndim not in over and a not in over])
                                        for s in stats(x, over, eps))
case("layer_norm_stats", export("layer_norm_stats"), lambda x, weight, bias: (LN(x, weight, bias), *saved(x, (-1,))), plain)
case("layer_norm_grad", "export fn it(dy: f64[M, N], x: f64[M, N], w: f64[N]) -> (dx: f64[M, N])"
     "{ let (_, m, i) = layer_norm_stats(x); dx = layer_norm_grad(dy, x, m, i, w); }",
     lambda dy, x, w: grads(dy, x, w, (1,), -1)[0], plain,
     torch="autograd(lambda x: F.layer_norm(x, x.shape[1:], w), x, dy)")
case("layer_norm_param_grad", "export fn it(dy: f64[M, N], x: f64[M, N]) -> (dw: f64[N], db: f64[N])"
     "{ let (_, m, i) = layer_norm_stats(x); let (a, b) = layer_norm_param_grad(dy, x, m, i); dw[n] = a[n]; db[n] = b[n]; }",
     lambda dy, x: grads(dy, x, 1., (1,), -1)[1:], plain)
case("add_layer_norm", export("add_layer_norm"), lambda x, residual, shift, weight, bias:
     (LN(x + residual + shift, weight, bias), x + residual + shift), plain)
RMS = lambda x, weight=1., eps=1e-6: x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight
case("rms_norm", export("rms_norm"), RMS, plain)
case("rms_norm", "export fn it(x: f64[M, N]) -> (y: f64[M, N]) { y = rms_norm(x, eps = 0.25); }", lambda x: RMS(x, eps=.25), plain)
case("rms_norm_stats", export("rms_norm_stats"), lambda x, weight:
     (RMS(x, weight), 1 / np.sqrt((x * x).mean(-1) + 1e-6)), plain)


def rms_grads(dy, x, w):
    """By the Jacobian of x / r, written out."""
    r = np.sqrt((x * x).mean(-1) + 1e-6)
    dx = [(np.eye(len(v)) / s - np.outer(v, v) / (len(v) * s**3)) @ (d * w) for d, v, s in zip(dy, x, r)]
    return np.array(dx).reshape(x.shape), (dy * x / r[:, None]).sum(0)


case("rms_norm_grad", "export fn it(dy: f64[M, N], x: f64[M, N], w: f64[N]) -> (dx: f64[M, N])"
     "{ let (_, i) = rms_norm_stats(x); dx = rms_norm_grad(dy, x, i, w); }", lambda dy, x, w: rms_grads(dy, x, w)[0],
     [dict(M=1, N=2), *(s for s in plain if s["N"] > 1)])
case("rms_norm_weight_grad", "export fn it(dy: f64[M, N], x: f64[M, N]) -> (dw: f64[N])"
     "{ let (_, i) = rms_norm_stats(x); dw = rms_norm_weight_grad(dy, x, i); }", lambda dy, x: rms_grads(dy, x, 1.)[1], plain)
case("add_rms_norm", export("add_rms_norm"), lambda x, residual, weight: (RMS(x + residual, weight), x + residual), plain)
case("normalize", export("normalize"), lambda x: x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12), rows,
     dict(x=lambda rng, shape, dims: rng.standard_normal(shape) * (np.arange(shape[0]) % 3 > 0)[:, None]), torch="F.normalize(x)")

# ---- groups ----
grouped = [dict(N=2, G=3, K=5, H=3, W=7), dict(N=1, G=1, K=1, H=1, W=1), dict(N=0, G=2, K=2, H=2, W=1), dict(N=2, G=5, K=1, H=2, W=2)]


def group(x, G, weight=1., bias=0., eps=1e-5, last=False):
    c = np.moveaxis(x, -1, 1) if last else x
    split = c.reshape(c.shape[0], G, c.shape[1] // max(G, 1), *c.shape[2:])
    y = norm(split, tuple(range(2, split.ndim)), 1, eps=eps).reshape(c.shape)
    y = y * along(weight, y, 1) + along(bias, y, 1)
    return np.moveaxis(y, 1, -1) if last else y


case("group_norm", "group_norm(T = f64, S = [H, W])", group, grouped, torch="F.group_norm(x, G, weight, bias, eps)")
case("group_norm", "export fn it(x: f64[N, C, L], w: f64[C]) -> (y: f64[N, C, L])"
     "{ y = group_norm(x, w, G = 4, eps = 0.01, act = it_silu); } fn it_silu(x) = x * sigmoid(x);",
     lambda x, w: silu(group(x, 4, w, eps=.01)), [dict(N=2, C=12, L=5), dict(N=1, C=4, L=3)])
case("group_norm_last", "group_norm_last(T = f64, S = [H, W])", lambda x, G, weight, bias: group(x, G, weight, bias, last=True), grouped)
case("group_norm_stats", "group_norm_stats(T = f64, S = [H, W])", lambda x, G, K, weight, bias:
     (group(x, G, weight, bias), *saved(x.reshape(len(x), G, K, *x.shape[2:]), (2, 3, 4))), grouped)


def group_grads(dy, x, w, G, K):
    shape = (len(x), G, K, *x.shape[2:])
    dx = grads((dy * along(w, x, 1)).reshape(shape), x.reshape(shape), 1., (2, 3, 4), 1)[0].reshape(x.shape)
    h = group(x, G)
    return dx, (dy * h).sum((0, 2, 3)), dy.sum((0, 2, 3))


case("group_norm_grad", "export fn it(dy: f64[N, G*K, H, W], x: f64[N, G*K, H, W], w: f64[G*K], G: int) -> (dx: f64[N, G*K, H, W])"
     "{ let (_, m, i) = group_norm_stats(x, G = G); dx = group_norm_grad(dy, x, m, i, w); }",
     lambda dy, x, w, G, K: group_grads(dy, x, w, G, K)[0], grouped,
     torch="autograd(lambda x: F.group_norm(x, G, w), x, dy) if len(x) else x")
case("group_norm_param_grad", "export fn it(dy: f64[N, G*K, H, W], x: f64[N, G*K, H, W], G: int) -> (dw: f64[G*K], db: f64[G*K])"
     "{ let (_, m, i) = group_norm_stats(x, G = G); let (a, b) = group_norm_param_grad(dy, x, m, i); dw = a; db = b; }",
     lambda dy, x, G, K: group_grads(dy, x, np.ones(G * K), G, K)[1:], grouped)

# ---- instances and batches ----
image = [dict(N=3, C=5, H=2, W=7), dict(N=1, C=1, H=1, W=1), dict(N=2, C=0, H=3, W=1), dict(N=4, C=3, H=1, W=1)]
full = image + [dict(N=0, C=2, H=3, W=1)]
case("instance_norm", "instance_norm(T = f64, S = [H, W])", lambda x, weight, bias: norm(x, (2, 3), 1, weight, bias), full,
     torch="F.instance_norm(x, None, None, weight, bias) if x.shape[2] * x.shape[3] > 1 and x.numel() else F.group_norm(x, max(C, 1), weight, bias) if C else x")
case("instance_norm_last", "instance_norm_last(T = f64, S = [H, W])", lambda x, weight, bias: norm(x, (1, 2), 3, weight, bias), full)


def batch(x, running_mean, running_var, weight, bias, of=1, momentum=.1, eps=1e-5):
    over = tuple(a for a in range(x.ndim) if a != of % x.ndim)
    n = math.prod(x.shape[a] for a in over)
    y = norm(x, over, of, weight, bias, eps)
    return ((1 - momentum) * running_mean + momentum * x.mean(over),
            (1 - momentum) * running_var + momentum * x.var(over) * n / max(n - 1, 1), y)


case("batch_norm", "batch_norm(T = f64, S = [H, W])", batch, image, positive, dict(momentum=.3))
case("batch_norm", "batch_norm(T = f64, S = [])", batch, [dict(N=4, C=3), dict(N=1, C=2)], positive)
case("batch_norm_last", "batch_norm_last(T = f64, B = [N, H])",
     lambda x, running_mean, running_var, weight, bias: batch(x, running_mean, running_var, weight, bias, -1),
     [dict(N=3, H=2, C=5), dict(N=1, H=1, C=1), dict(N=2, H=2, C=0)], positive)
case("batch_norm_stats", "batch_norm_stats(T = f64, S = [H, W])", lambda x, weight, bias:
     (norm(x, (0, 2, 3), 1, weight, bias), *saved(x, (0, 2, 3))), image)
infer = lambda x, m, v, w, b, of, eps=1e-5: (x - along(m, x, of)) / np.sqrt(along(v, x, of) + eps) * along(w, x, of) + along(b, x, of)
case("batch_norm_inference", "batch_norm_inference(T = f64, S = [H, W])",
     lambda x, running_mean, running_var, weight, bias: infer(x, running_mean, running_var, weight, bias, 1), full, positive,
     torch="F.batch_norm(x, running_mean, running_var, weight, bias)")
case("batch_norm_inference_last", "batch_norm_inference_last(T = f64, B = [N])",
     lambda x, running_mean, running_var, weight, bias: infer(x, running_mean, running_var, weight, bias, -1), None, positive)
case("batch_norm_grad", "export fn it(dy: f64[N, C, H, W], x: f64[N, C, H, W], w: f64[C]) -> (dx: f64[N, C, H, W], dw: f64[C], db: f64[C])"
     "{ let (_, m, i) = batch_norm_stats(x); let (a, b, c) = batch_norm_grad(dy, x, m, i, w); dx = a; dw = b; db = c; }",
     lambda dy, x, w: grads(dy, x, w, (0, 2, 3), 1), image,
     torch="(autograd(lambda x: F.batch_norm(x, None, None, w, training=True), x, dy), autograd(lambda w: F.batch_norm(x, None, None, w, training=True), w, dy), dy.sum((0, 2, 3)))")


def lrn(x, size, alpha=1e-4, beta=.75, k=1.):
    s = np.zeros_like(x)
    for r in range(size):
        for c in range(x.shape[1]):
            if 0 <= c + r - size // 2 < x.shape[1]:
                s[:, c] += x[:, c + r - size // 2] ** 2
    return x / (k + alpha * s / size) ** beta


for size in (5, 4, 1):
    case("local_response_norm", f"local_response_norm(T = f64, S = [L], R = {size})",
         lambda x, size=size: lrn(x, size, .7, .6, 1.5), scalars=dict(alpha=.7, beta=.6, k=1.5),
         torch=f"F.local_response_norm(x, {size}, .7, .6, 1.5) if x.numel() else x")
