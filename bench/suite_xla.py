"""Cases of the suite in JAX, for XLA: expressions of the same inputs as in suite.py, in the same order."""
import jax
import jax.numpy as jnp

B, H, F = jnp.bfloat16, jnp.float16, jnp.float32
CASES = {}


def case(name):
    def deco(f):
        CASES[name] = jax.jit(f)
        return f
    return deco


@case("bias_gelu")
def _(x, b):
    return jax.nn.gelu((x + b).astype(F), approximate=True).astype(B)


for _n in ("softmax_1k", "softmax_4k", "softmax_32k", "softmax_128k"):
    case(_n)(lambda x: jax.nn.softmax(x.astype(F), -1).astype(x.dtype))


@case("layernorm")
def _(x, g, b):
    xf = x.astype(F)
    mu = xf.mean(-1, keepdims=True)
    v = ((xf - mu) ** 2).mean(-1, keepdims=True)
    return ((xf - mu) * jax.lax.rsqrt(v + 1e-5) * g + b).astype(B)


def _lnb(dy, x, g):
    xf, d = x.astype(F), dy.astype(F)
    mu = xf.mean(-1, keepdims=True)
    rs = jax.lax.rsqrt(((xf - mu) ** 2).mean(-1, keepdims=True) + 1e-5)
    xh = (xf - mu) * rs
    gd = d * g
    dx = rs * (gd - gd.mean(-1, keepdims=True) - xh * (gd * xh).mean(-1, keepdims=True))
    return dx.astype(B), (d * xh).sum(0).astype(B), d.sum(0).astype(B)


case("layernorm_bwd")(_lnb)


@case("cross_entropy")
def _(x, t):
    xf = x.astype(F)
    return jax.nn.logsumexp(xf, -1) - jnp.take_along_axis(xf, t[:, None], 1)[:, 0]


@case("cross_entropy_fwd_bwd")
def _(x, t):
    xf = x.astype(F)
    lse = jax.nn.logsumexp(xf, -1)
    loss = lse - jnp.take_along_axis(xf, t[:, None], 1)[:, 0]
    p = jnp.exp(xf - lse[:, None]) - (jnp.arange(xf.shape[1])[None] == t[:, None])
    return loss, (p / xf.shape[0]).astype(B)


@case("mask_softmax")
def _(x, b, m):
    s = jnp.where(m, (x.astype(F) + b.astype(F)) * 0.125, -10000.0)
    return jax.nn.softmax(s, -1).astype(H)


@case("groupnorm_nhwc_silu")
def _(x, g, b):
    n, h, w, c = x.shape
    xf = x.astype(F).reshape(n, h * w, 32, c // 32)
    mu = xf.mean((1, 3), keepdims=True)
    v = ((xf - mu) ** 2).mean((1, 3), keepdims=True)
    y = ((xf - mu) * jax.lax.rsqrt(v + 1e-5)).reshape(n, h, w, c) * g.astype(F) + b.astype(F)
    return jax.nn.silu(y).astype(H)


case("column_sum")(lambda x: x.astype(F).sum(0).astype(B))
case("transpose_2d")(lambda x: x.T + 0)
case("cumsum_rows")(lambda x: jnp.cumsum(x, -1))
case("argmax_rows")(lambda x: jnp.argmax(x, -1))


@case("linear_gelu")
def _(x, w, b):
    return jax.nn.gelu(x @ w + b, approximate=True)


@case("glu_dual_gemm")
def _(x, w, v):
    return jax.nn.silu(x @ w) * (x @ v)
