"""References of stdlib/nn.td."""
import math
import numpy as np
from harness import case, given, ints, normal, scalar, uniform, POINTS

erf = np.vectorize(math.erf, otypes=[float])
inf, nan = np.inf, np.nan


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def softplus(x):
    return np.logaddexp(x, 0)


def gelu(x):
    return x * (1 + erf(x / math.sqrt(2))) / 2


# ---- activations ----
scalar("relu6", lambda x: np.minimum(np.maximum(x, 0), 6), torch="F.relu6(x)")
scalar("leaky_relu", lambda x: np.where(x > 0, x, .01 * x), torch="F.leaky_relu(x)")
scalar("leaky_relu", lambda x, negative_slope: np.where(x > 0, x, .3 * x), negative_slope=.3, torch="F.leaky_relu(x, .3)")
scalar("prelu", lambda x, w: np.where(x > 0, x, w * x), args="x, w")
scalar("elu", lambda x: np.where(x > 0, x, np.expm1(x)), torch="F.elu(x)")
scalar("elu", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)), alpha=1.7, torch="F.elu(x, 1.7)")
scalar("celu", lambda x: np.where(x > 0, x, np.expm1(x)), torch="F.celu(x)")
scalar("celu", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x / alpha)), alpha=.6, torch="F.celu(x, .6)")
scalar("selu", lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)), torch="F.selu(x)")
scalar("gelu", gelu, torch="F.gelu(x)")
scalar("gelu_tanh", lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + .044715 * x**3))),
       torch="F.gelu(x, approximate='tanh')")
scalar("quick_gelu", lambda x: x * sigmoid(1.702 * x), torch="x * torch.sigmoid(1.702 * x)")
scalar("silu", lambda x: x * sigmoid(x), torch="F.silu(x)")
scalar("softplus", lambda x: np.where(x > 20, x, softplus(x)), torch="F.softplus(x)")
scalar("softplus", lambda x, beta, threshold: np.where(beta * x > threshold, x, softplus(beta * x) / beta), beta=2.5,
       threshold=5.0, torch="F.softplus(x, 2.5, 5.0)")
scalar("mish", lambda x: x * np.tanh(softplus(x)), torch="F.mish(x)")
scalar("logsigmoid", lambda x: -softplus(-x), torch="F.logsigmoid(x)")
scalar("softsign", lambda x: x / (1 + abs(x)), torch="F.softsign(x)")
scalar("tanhshrink", lambda x: x - np.tanh(x), torch="F.tanhshrink(x)")
for name, ref in (("softshrink", lambda x, l: np.sign(x) * np.maximum(abs(x) - l, 0)),
                  ("hardshrink", lambda x, l: np.where(abs(x) <= l, 0, x))):
    scalar(name, lambda x, f=ref: f(x, .5), torch=f"F.{name}(x)")
    scalar(name, lambda x, lambd, f=ref: f(x, lambd), points=POINTS + [nan, inf, -inf], lambd=1.0, torch=f"F.{name}(x, 1.)")
scalar("hardtanh", lambda x: np.clip(x, -1, 1), torch="F.hardtanh(x)")
scalar("hardtanh", lambda x, **p: np.clip(x, -2, .5), min_val=-2.0, max_val=.5, torch="F.hardtanh(x, -2., .5)")
scalar("hardsigmoid", lambda x: np.clip(x + 3, 0, 6) / 6, torch="F.hardsigmoid(x)")
scalar("hardswish", lambda x: x * np.clip(x + 3, 0, 6) / 6, torch="F.hardswish(x)")
scalar("threshold", lambda x, **p: np.where(x > .5, x, -7), threshold=.5, value=-7.0, torch="F.threshold(x, .5, -7.)")
scalar("squared_relu", lambda x: np.where(x > 0, x * x, 0))

halves = [dict(M=3, N=5), dict(M=1, N=1), dict(M=0, N=4), dict(M=2, N=0)]
for name, gate in (("glu", lambda a, b: a * sigmoid(b)), ("swiglu", lambda a, b: a * sigmoid(a) * b),
                   ("geglu", lambda a, b: a * gelu(b)), ("reglu", lambda a, b: a * np.maximum(b, 0))):
    case(name, name + "(T = f64, B = [M])", lambda x, N, f=gate: f(x[:, :N], x[:, N:]), halves,
         torch="F.glu(x)" if name == "glu" else None)

# ---- mathematics ----
NONZERO = [p for p in POINTS if abs(p) > 1e-9]
scalar("neg", lambda x: -x, torch="-x")
scalar("reciprocal", lambda x: 1 / x, torch="torch.reciprocal(x)")
scalar("reciprocal_no_nan", lambda x: np.where(x == 0, 0, 1 / x), points=[p for p in POINTS if p == 0 or abs(p) > 1e-9])
scalar("square", lambda x: x * x, torch="torch.square(x)")
scalar("rint", np.rint, torch="torch.round(x)")
scalar("frac", lambda x: np.modf(x)[0], torch="torch.frac(x)")
scalar("logit", lambda x: np.log(x) - np.log1p(-x), draw=uniform(0, 1), points=[.5, 1e-4, 0, 1], torch="torch.logit(x)")
scalar("logit", lambda x, eps: np.log(np.clip(x, eps, 1 - eps)) - np.log1p(-np.clip(x, eps, 1 - eps)), draw=uniform(0, 1),
       points=[0, 1, .5], eps=.01, torch="torch.logit(x, .01)")
scalar("sinc", np.sinc, torch="torch.sinc(x)")
scalar("logaddexp", np.logaddexp, points=POINTS + [inf, -inf, nan], args="x, y")
scalar("xlogy", lambda x, y: np.where(x == 0, 0 * y, x * np.log(y)), draw=uniform(0, 5), points=[0, 1, 3], args="x, y",
       torch="torch.xlogy(x, y)")
scalar("lerp", lambda x, y, w: (1 - w) * x + w * y, args="x, y, w", points=[])
scalar("hypot", np.hypot, points=POINTS + [1e200, -1e-200, inf], args="x, y", torch="torch.hypot(x, y)")


def trigamma(x):
    """By reflection and 4000 terms of its series, with an Euler-Maclaurin end."""
    p = np.where(x < .5, 1 - x, x)
    n = 4000
    s = np.sum(1 / (p[..., None] + np.arange(n)) ** 2, -1) if x.size else p
    z = p + n
    s = s + 1 / z + 1 / (2 * z**2) + 1 / (6 * z**3)
    return np.where(x < .5, (np.pi / np.sin(np.pi * (x - np.rint(x)))) ** 2 - s, s)


scalar("trigamma", trigamma, points=[.5, .49, 1, 2, 5.5, -.5, -1.5, -7.25, 30], draw=uniform(-4, 9))

sizes = [dict(N=17), dict(N=1), dict(N=0)]
case("not_equal_zero", "export fn it(x: f64[N]) -> (y: bool[N]) { y[n] = not_equal_zero(x[n]); }", lambda x: x != 0, sizes,
     dict(x=lambda rng, shape, dims: np.where(np.arange(*shape) % 5 == 3, nan, rng.integers(-1, 2, shape))))
case("bitwise_not", "export fn it(x: i32[N], u: u8[N]) -> (y: i32[N], v: u8[N])"
     "{ y[n] = bitwise_not(x[n]); v[n] = u8(bitwise_not(u[n])); }",
     lambda x, u: (~x, ~u), sizes, dict(u=ints(0, 256)))


# ---- gradients: the formula, and away from corners the differences of the activation's own reference ----
DY = 1.5  # any but 1


def grad(name, formula, forward, corners=(), torch=None, of_y=False, **params):
    """`formula` and `forward` take x; where `of_y`, the function is given y = forward(x) in x's place."""
    def ref(dy, v):
        x = inverse(v) if of_y else v
        g = formula(x)
        smooth = (abs(x) < 8) & np.all([abs(x - c) > 1e-2 for c in (0, *corners)], 0)
        h = 1e-4
        d = (8 * (forward(x + h) - forward(x - h)) - forward(x + 2 * h) + forward(x - 2 * h)) / (12 * h)
        assert np.all(abs(d - g)[smooth] < 1e-8), f"{name}: the reference is no derivative"
        return dy * g
    xs = {}

    def inverse(y):
        return xs["x"]

    def draw(rng, shape, dims):
        x = np.concatenate([rng.permutation(POINTS), 3 * rng.standard_normal(301)])[:shape[0]]
        xs["x"] = x
        with np.errstate(all="ignore"):
            return forward(x) if of_y else x
    extra = "".join(f", {k} = {v}" for k, v in params.items())
    case(name, f"export fn it(dy: f64[N], v: f64[N]) -> (dx: f64[N]) {{ dx[n] = {name}(dy[n], v[n]{extra}); }}", ref,
         [dict(N=301 + len(POINTS)), dict(N=0)], dict(v=draw), torch=torch and f"autograd({torch}, v, dy)")


grad("relu_grad", lambda x: (x > 0) * 1., lambda x: np.maximum(x, 0), of_y=True)
grad("relu6_grad", lambda x: ((x > 0) & (x < 6)) * 1., lambda x: np.clip(x, 0, 6), (0, 6), "F.relu6")
for p in ({}, dict(negative_slope=.3)):
    a = p.get("negative_slope", .01)
    grad("leaky_relu_grad", lambda x, a=a: np.where(x > 0, 1, a), lambda x, a=a: np.where(x > 0, x, a * x),
         torch=f"lambda x: F.leaky_relu(x, {a})", **p)
for a, p in ((1., {}), (1.7, dict(alpha=1.7))):
    grad("elu_grad", lambda x, a=a: np.where(x > 0, 1, a * np.exp(x)), lambda x, a=a: np.where(x > 0, x, a * np.expm1(x)),
         torch=f"lambda x: F.elu(x, {a})", **p)
    grad("celu_grad", lambda x, a=a: np.where(x > 0, 1, np.exp(x / a)), of_y=True,
         forward=lambda x, a=a: np.where(x > 0, x, a * np.expm1(x / a)), **p)
grad("selu_grad", lambda x: 1.0507009873554805 * np.where(x > 0, 1, 1.6732632423543772 * np.exp(x)),
     lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)), torch="F.selu")
grad("gelu_grad", lambda x: (1 + erf(x / math.sqrt(2))) / 2 + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi), gelu,
     torch="F.gelu")
tanh_arg = lambda x: math.sqrt(2 / math.pi) * (x + .044715 * x**3)
grad("gelu_tanh_grad", lambda x: (1 + np.tanh(tanh_arg(x))) / 2 + x / 2 / np.cosh(tanh_arg(x)) ** 2
     * math.sqrt(2 / math.pi) * (1 + 3 * .044715 * x**2), lambda x: x / 2 * (1 + np.tanh(tanh_arg(x))),
     torch="lambda x: F.gelu(x, approximate='tanh')")
grad("quick_gelu_grad", lambda x: sigmoid(1.702 * x) + 1.702 * x * sigmoid(1.702 * x) * sigmoid(-1.702 * x),
     lambda x: x * sigmoid(1.702 * x))
grad("silu_grad", lambda x: sigmoid(x) + x * sigmoid(x) * sigmoid(-x), lambda x: x * sigmoid(x), torch="F.silu")
grad("softplus_grad", lambda x: np.where(x > 20, 1, sigmoid(x)), softplus, torch="F.softplus")
grad("softplus_grad", lambda x: np.where(2 * x > 3, 1, sigmoid(2 * x)),
     lambda x: np.where(2 * x > 3, x, softplus(2 * x) / 2), (1.5,), beta=2.0, threshold=3.0, torch="lambda x: F.softplus(x, 2, 3)")
grad("mish_grad", lambda x: np.tanh(softplus(x)) + x * sigmoid(x) / np.cosh(softplus(x)) ** 2,
     lambda x: x * np.tanh(softplus(x)), torch="F.mish")
grad("logsigmoid_grad", lambda x: sigmoid(-x), lambda x: -softplus(-x), torch="F.logsigmoid")
grad("sigmoid_grad", lambda x: sigmoid(x) * sigmoid(-x), sigmoid, of_y=True)
grad("tanh_grad", lambda x: 1 / np.cosh(x) ** 2, np.tanh, of_y=True)
grad("tanhshrink_grad", lambda x: np.tanh(x) ** 2, lambda x: x - np.tanh(x), torch="F.tanhshrink")
grad("softsign_grad", lambda x: 1 / (1 + abs(x)) ** 2, lambda x: x / (1 + abs(x)), torch="F.softsign")
for l, p in ((.5, {}), (1., dict(lambd=1.0))):
    grad("softshrink_grad", lambda x, l=l: (abs(x) > l) * 1., lambda x, l=l: np.sign(x) * np.maximum(abs(x) - l, 0), (l, -l),
         torch=f"lambda x: F.softshrink(x, {l})", **p)
grad("hardshrink_grad", lambda x: (abs(x) > .5) * 1., lambda x: np.where(abs(x) <= .5, 0, x), (.5, -.5), of_y=True)
grad("hardtanh_grad", lambda x: (abs(x) < 1) * 1., lambda x: np.clip(x, -1, 1), (-1, 1), torch="F.hardtanh")
grad("hardtanh_grad", lambda x: ((x > -2) & (x < .5)) * 1., lambda x: np.clip(x, -2, .5), (-2, .5), min_val="(-2)", max_val=.5,
     torch="lambda x: F.hardtanh(x, -2, .5)")
grad("hardsigmoid_grad", lambda x: (abs(x) < 3) / 6, lambda x: np.clip(x + 3, 0, 6) / 6, (-3, 3), torch="F.hardsigmoid")
grad("hardswish_grad", lambda x: np.where(abs(x) < 3, x / 3 + .5, x > 0), lambda x: x * np.clip(x + 3, 0, 6) / 6, (-3, 3),
     torch="F.hardswish")
grad("threshold_grad", lambda x: (x > .5) * 1., lambda x: np.where(x > .5, x, -7), (.5,), threshold=.5)
grad("squared_relu_grad", lambda x: 2 * np.maximum(x, 0), lambda x: np.maximum(x, 0) ** 2)


# ---- softmax ----
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True, initial=-inf))
    return e / e.sum(axis, keepdims=True)


def log_softmax(x, axis=-1):
    m = x.max(axis, keepdims=True, initial=-inf)
    return x - m - np.log(np.exp(x - m).sum(axis, keepdims=True))


def rows_with(v):
    """Wide values; the first row all v, one more v in the last."""
    def draw(rng, shape, dims):
        x = 30 * rng.standard_normal(shape)
        if x.size:
            x[0], x[-1, -1] = v, v if len(shape) > 1 else x[-1, -1]
        return x
    return draw


export = "{}(T = f64, B = [M])".format
rows = [dict(M=5, N=7), dict(M=1, N=1), dict(M=0, N=3), dict(M=3, N=0), dict(M=2, N=133)]
lse = lambda x: np.logaddexp.reduce(x, -1, initial=-inf)
case("logsumexp", export("logsumexp"), lse, rows, dict(x=rows_with(-inf)), torch="torch.logsumexp(x, -1)")
case("logsumexp", "logsumexp(T = f64, B = [])", lse, [dict(N=4)])
case("lse", "export fn it(x: f64[M, N], n: i32[M]) -> (y: f64[M], z: f64[]) { assume 0 <= n[i] && n[i] <= N;"
     "y[i] = lse[j in 0..n[i] where j % 2 == 0](x[i, j]); z[] = lse[i, j](x[i, j]); }",
     lambda x, n: (np.array([lse(r[:k:2]) for r, k in zip(x, n)]), lse(x.reshape(-1))), rows,
     dict(n=ints(0, "N + 1"), x=normal(20)))
case("softmax", export("softmax"), softmax, rows, dict(x=rows_with(-inf)), torch="F.softmax(x, -1)")
case("softmin", export("softmin"), lambda x: softmax(-x), rows, dict(x=normal(30)), torch="F.softmin(x, -1)")
case("log_softmax", export("log_softmax"), log_softmax, rows, dict(x=rows_with(-30)), torch="F.log_softmax(x, -1)")
image = [dict(N=2, C=5, H=3, W=7), dict(N=1, C=1, H=1, W=1), dict(N=0, C=2, H=2, W=2), dict(N=2, C=3, H=0, W=2)]
case("softmax_channels", "softmax_channels(T = f64, S = [H, W])", lambda x: softmax(x, 1), image, torch="F.softmax(x, 1)")
case("softmax_channels", "softmax_channels(T = f64, S = [])", lambda x: softmax(x, 1), [dict(N=3, C=4)])
case("log_softmax_channels", "log_softmax_channels(T = f64, S = [H, W])", lambda x: log_softmax(x, 1), image,
     torch="F.log_softmax(x, 1)")


def masked(x, mask):
    x = np.where(mask, x, -inf)
    return np.where(mask, softmax(x), 0)


case("masked_softmax", export("masked_softmax"), masked, rows,
     dict(mask=lambda rng, shape, dims: rng.random(shape) < (np.arange(shape[0]) / shape[0])[:, None]))
case("softmax_grad", export("softmax_grad"), lambda dy, y: y * (dy - (dy * y).sum(-1, keepdims=True)), rows)
case("log_softmax_grad", export("log_softmax_grad"), lambda dy, y: dy - np.exp(y) * dy.sum(-1, keepdims=True), rows)


# ---- dropout ----
def philox(seed, stream, counter):
    """Philox4x32-10 as the language states it: key = seed, counter = (counter / 4, stream), lane = counter mod 4."""
    mask = (1 << 32) - 1
    c = [counter // 4 & mask, counter // 4 >> 32, stream & mask, stream >> 32 & mask]
    k = [seed & mask, seed >> 32 & mask]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & mask, a >> 32 ^ c[3] ^ k[1], a & mask]
        k = [k[0] + 0x9E3779B9 & mask, k[1] + 0xBB67AE85 & mask]
    return (c[counter % 4] >> 8) / 2**24


def dropout(x, seed, stream, p):
    u = np.array([philox(seed, stream, i) for i in range(x.size)]).reshape(x.shape)
    return np.where(u >= p, x / (1 - p), 0)


case("dropout", export("dropout").replace("[M]", "[M, N]"), dropout, scalars=dict(seed=1234567890123, stream=5, p=.3))


# ---- losses of elements, and their means ----
def bce(x, t):
    return -(t * np.maximum(np.log(x), -100) + (1 - t) * np.maximum(np.log1p(-x), -100))


def bce_logits(x, t, pos_weight=1.):
    return pos_weight * t * softplus(-x) + (1 - t) * softplus(x)


def focal(x, t, alpha=.25):
    p = sigmoid(x)
    return t * alpha * (1 - p) ** 2 * softplus(-x) + (1 - t) * (1 - alpha) * p**2 * softplus(x)


def loss(name, ref, draw={}, torch=None, mean=True, args="x, t", **params):
    """NAME_none without and with `params`, and the mean under `name`."""
    names = args.split(", ")
    heads = ", ".join(f"{a}: f64[N]" for a in names)
    extra = "".join(f", {k} = {v}" for k, v in params.items())
    for call, p in [("", {})] + ([(extra, params)] if params else []):
        case(name + "_none", f"export fn it({heads}) -> (y: f64[N]) {{ y[n] = {name}_none("
             + ", ".join(a + "[n]" for a in names) + f"{call}); }}", lambda p=p, **v: ref(**{a: v[a] for a in names}, **p),
             [dict(N=101), dict(N=0)], draw, torch=torch and not p and torch.replace(")", ", reduction='none')", 1))
    heads = ", ".join(f"{a}: f64[M, N]" for a in names)
    for call, p in [("", {})] + ([(extra, params)] if params else []):
        case(name, f"export fn it({heads}) -> (y: f64[]) {{ y = {name}({args}{call}); }}",
             lambda p=p, **v: mean_of(ref(**{a: v[a] for a in names}, **p)), None, draw, torch=torch if not p else None)


def mean_of(x):
    return x.mean() if x.size else nan


def halves_of(rng, shape, dims):
    """Multiples of 1/2, so that corners are met."""
    return rng.integers(-6, 7, shape) / 2


unit, bits, signs = uniform(0, 1), ints(0, 2), lambda rng, shape, dims: rng.integers(0, 2, shape) * 2 - 1
soft_bits = lambda rng, shape, dims: np.where(rng.random(shape) < .3, rng.integers(0, 2, shape), rng.random(shape))
corner = dict(x=halves_of, t=halves_of)
loss("mse_loss", lambda x, t: (x - t) ** 2, torch="F.mse_loss(x, t)")
loss("l1_loss", lambda x, t: abs(x - t), torch="F.l1_loss(x, t)")
loss("smooth_l1_loss", lambda x, t, beta=1.: np.where(abs(x - t) < beta, (x - t) ** 2 / 2 / beta, abs(x - t) - beta / 2), corner,
     "F.smooth_l1_loss(x, t)", beta=1.5)
loss("huber_loss", lambda x, t, delta=1.: np.where(abs(x - t) < delta, (x - t) ** 2 / 2, delta * (abs(x - t) - delta / 2)),
     corner, "F.huber_loss(x, t)", delta=2.5)
loss("binary_cross_entropy", bce, dict(x=soft_bits, t=soft_bits), "F.binary_cross_entropy(x, t)")
loss("binary_cross_entropy_with_logits", bce_logits, dict(x=normal(30), t=soft_bits),
     "F.binary_cross_entropy_with_logits(x, t)", pos_weight=3.5)
loss("kl_div", lambda x, t: np.where(t == 0, 0, t * np.log(t)) - t * x, dict(t=soft_bits), "F.kl_div(x, t)")
loss("soft_margin_loss", lambda x, t: softplus(-t * x), dict(x=normal(30), t=signs), "F.soft_margin_loss(x, t)")
loss("hinge_embedding_loss", lambda x, t, margin=1.: np.where(t > 0, x, np.maximum(0, margin - x)), dict(t=signs),
     "F.hinge_embedding_loss(x, t)", margin=.25)
loss("poisson_nll_loss", lambda x, t: np.exp(x) - t * x, torch="F.poisson_nll_loss(x, t)")
loss("gaussian_nll_loss", lambda x, t, variance, eps=1e-6: (np.log(np.maximum(variance, eps))
     + (x - t) ** 2 / np.maximum(variance, eps)) / 2, dict(variance=soft_bits), "F.gaussian_nll_loss(x, t, variance)",
     args="x, t, variance", eps=.125)
loss("sigmoid_focal_loss", focal, dict(t=bits), alpha=.75)
case("kl_div_batchmean", "kl_div_batchmean(T = f64, U = f64, B = [N, K])",
     lambda x, t: (np.where(t == 0, 0, t * np.log(t)) - t * x).sum() / np.float64(len(x)), None, dict(t=soft_bits),
     torch="F.kl_div(x, t, reduction='batchmean')")


# ---- losses of rows ----
def nll(p, t, weight, ignore):
    """Loss and weight of each row, of log-probabilities p[..., v]."""
    w = np.where(t == ignore, 0, weight[np.where(t == ignore, 0, t)])
    picked = np.take_along_axis(p, np.where(t == ignore, 0, t)[..., None], -1)[..., 0]
    return np.where(t == ignore, 0, -w * picked), w


def smoothed(x, t, weight, ignore, s):
    p = log_softmax(x)
    each, w = nll(p, t, weight, ignore)
    return (1 - s) * each + s * np.where(t == ignore, 0, -(p * weight).mean(-1)), w


def labels(ignore):
    return lambda rng, shape, dims: np.where(rng.random(shape) < .2, ignore, rng.integers(0, max(dims["V"], 1), shape))


sizes = [dict(M=7, V=5), dict(M=1, V=1), dict(M=0, V=3), dict(M=2, V=301)]
for ignore, call in ((-100, ""), (2**40, ", weight, ignore_index = 1099511627776"), (1, ", weight, ignore_index = 1")):
    weighted = dict(x=normal(5), t=labels(ignore), weight=unit)
    W = lambda w, V, call=call: w if call else np.ones(V)
    head = "x: f64[M, V], t: i64[M], weight: f64[V]"
    torch = f", weight={'weight' if call else None}, ignore_index={ignore}"
    legal = [s for s in sizes if ignore != 1 or s["V"] > 1]
    case("nll_loss_none", f"export fn it({head}) -> (y: f64[M]) {{ y = nll_loss_none(x, t{call}); }}",
         lambda x, t, weight, V, g=ignore, W=W: nll(x, t, W(weight, V), g)[0], legal, weighted,
         torch=f"F.nll_loss(x, t{torch}, reduction='none')")
    case("class_weight_sum", f"export fn it(t: i64[M], weight: f64[V]) -> (y: f64[]) {{ y = class_weight_sum(t{call or ', weight'}); }}",
         lambda t, weight, g=ignore: weight[t[t != g]].sum(), legal, weighted)
    case("nll_loss", f"export fn it({head}) -> (y: f64[]) {{ y = nll_loss(x, t{call}); }}",
         lambda x, t, weight, V, g=ignore, W=W: np.divide(*(v.sum() for v in nll(x, t, W(weight, V), g))), legal, weighted,
         torch=f"F.nll_loss(x, t{torch})")
    for s, smooth in ((0, ""), (.2, ", label_smoothing = 0.2")):
        both = lambda x, t, weight, V, g=ignore, W=W, s=s: smoothed(x, t, W(weight, V), g, s)
        case("cross_entropy_none", f"export fn it({head}) -> (y: f64[M]) {{ y = cross_entropy_none(x, t{call}{smooth}); }}",
             lambda x, t, weight, V, f=both: f(x, t, weight, V)[0], legal, weighted,
             torch=f"F.cross_entropy(x, t{torch}, label_smoothing={s}, reduction='none')")
        case("cross_entropy_sum", f"export fn it({head}) -> (y: f64[]) {{ y = cross_entropy_sum(x, t{call}{smooth}); }}",
             lambda x, t, weight, V, f=both: f(x, t, weight, V)[0].sum(), legal, weighted)
        case("cross_entropy", f"export fn it({head}) -> (y: f64[]) {{ y = cross_entropy(x, t{call}{smooth}); }}",
             lambda x, t, weight, V, f=both: np.divide(*(r.sum() for r in f(x, t, weight, V))), legal, weighted,
             torch=f"F.cross_entropy(x, t{torch}, label_smoothing={s})")
        case("cross_entropy_channels", "export fn it(x: f64[N, V, H, W], t: i32[N, H, W], weight: f64[V]) -> (y: f64[])"
             f"{{ y = cross_entropy_channels(x, t{call}{smooth}); }}",
             lambda x, t, weight, V, f=both: np.divide(*(r.sum() for r in f(np.moveaxis(x, 1, -1), t, weight, V))),
             [dict(N=2, V=4, H=3, W=5), dict(N=0, V=2, H=3, W=1)] if ignore < 2**31 else [dict(N=2, V=4, H=3, W=0)], weighted,
             torch=f"F.cross_entropy(x, t.long(){torch}, label_smoothing={s})")
case("cross_entropy_soft", "cross_entropy_soft(T = f64, U = f64, B = [M])",
     lambda x, t: mean_of((-t * log_softmax(x)).sum(-1)), sizes, dict(t=unit), torch="F.cross_entropy(x, t)")
one_hot = lambda t, V: (np.arange(V) == t[:, None]) * 1.
case("cross_entropy_grad", "export fn it(dy: f64[], x: f64[M, V], t: i64[M]) -> (dx: f64[M, V]) { dx = cross_entropy_grad(dy, x, t); }",
     lambda dy, x, t, V: np.where((t == -100)[:, None], 0, (softmax(x) - one_hot(t, V)) * dy / np.sum(t != -100)), sizes,
     dict(t=labels(-100)), torch="autograd(lambda x: F.cross_entropy(x, t), x, dy)")
