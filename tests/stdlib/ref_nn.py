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
