"""The performance suite: what each case computes, on which inputs, and the least that it must move or multiply.

A case has inputs, the PyTorch expression that defines its answer, and a floor: the bytes that must cross the device's
memory (each input read once, each output written once) or, for matrix cases, its floating-point operations. Its program
is suite/NAME.td, with an entry of the same name and the same order of arguments (NAME without what follows a point, which
says how inputs differ); suite_xla.py has it in JAX where XLA is timed. measure.py runs them. Inputs are made of the
dimensions by name, as the program's bench line has them, or others (`Case.at`); a few cases have one size only.
"""
import inspect
import math
import torch
import torch.nn.functional as F
from protocol import flat

CASES = {}
DEVICE = "cuda"  # where inputs are made; measure.py check says "cpu"


class Case:
    """`wide` is the type in which the reference is computed; `fn` on inputs of that type is the reference."""

    def __init__(self, name, make, fn, bytes_=None, flops=0, kind="memory", tol=2e-2, wide=torch.float64, reference=None):
        self.name, self.make, self.fn, self.bytes_, self.flops, self.kind, self.tol = name, make, fn, bytes_, flops, kind, tol
        self.wide = torch.float32 if kind == "matrix" else wide
        self.reference = reference or fn

    def at(self, sizes):
        """The inputs, at these dimensions: of them `make` names those that it needs."""
        needed = [p.name for p in inspect.signature(self.make).parameters.values() if p.default is p.empty]
        return self.make(**{n: sizes[n] for n in needed})

    def floor_bytes(self, args, outs):
        if self.bytes_ is not None:
            return self.bytes_(*args) if callable(self.bytes_) else self.bytes_
        return sum(t.numel() * t.element_size() for t in flat(args) + flat(outs))


def case(name, make, into=CASES, **kw):
    def deco(fn):
        into[name] = Case(name, make, fn, **kw)
        return fn
    return deco


def rn(*shape, dtype=torch.bfloat16, scale=1.0):
    return (torch.randn(*shape, device=DEVICE, dtype=torch.float32) * scale).to(dtype)


H, B = torch.float16, torch.bfloat16
f16, f32 = torch.float16, torch.float32

# ---------------------------------------------------------------- elementwise


@case("bias_gelu", lambda M, N: (rn(M, N), rn(N)))
def _(x, b):
    return F.gelu(x + b, approximate="tanh")


@case("fast_gelu_mul", lambda M, N: (rn(M, N, dtype=H), rn(M, N, dtype=H)))
def _(x, m):
    return F.gelu(x, approximate="tanh") * m


@case("quick_gelu", lambda M, N: (rn(M, N, dtype=H),))
def _(x):
    return x / (1 + torch.exp(-1.702 * torch.abs(x))) * torch.exp(0.851 * (x - torch.abs(x)))


@case("weighted_sum4", lambda N, C, H, W: tuple(rn(N, C, H, W, dtype=f16) for _ in range(4)))
def _(a, b, c, d):
    return (1 / 24) * (55 * a - 59 * b + 37 * c - 9 * d)


@case("rotary", lambda B, S, H, D: (rn(B, S, H, 2 * D), rn(S, D, dtype=f32), rn(S, D, dtype=f32)))
def _(x, cos, sin):
    x1, x2 = x.float().chunk(2, -1)
    c, s = cos[None, :, None, :], sin[None, :, None, :]
    return torch.cat([x1 * c - x2 * s, x2 * c + x1 * s], -1).to(x.dtype)


def _boxes(n):
    xy = torch.rand(n, 2, device=DEVICE) * 100
    wh = torch.rand(n, 2, device=DEVICE) * 50 + 1
    return torch.cat([xy, wh], 1)


@case("ciou", lambda N: (_boxes(N), _boxes(N)), tol=1e-3)
def _(p, t):
    px, py, pw, ph = p.unbind(1)
    tx, ty, tw, th = t.unbind(1)
    px1, px2, py1, py2 = px - pw / 2, px + pw / 2, py - ph / 2, py + ph / 2
    tx1, tx2, ty1, ty2 = tx - tw / 2, tx + tw / 2, ty - th / 2, ty + th / 2
    inter = (torch.minimum(px2, tx2) - torch.maximum(px1, tx1)).clamp(min=0) * \
            (torch.minimum(py2, ty2) - torch.maximum(py1, ty1)).clamp(min=0)
    iou = inter / (pw * ph + tw * th - inter + 1e-7)
    cw = torch.maximum(px2, tx2) - torch.minimum(px1, tx1)
    ch = torch.maximum(py2, ty2) - torch.minimum(py1, ty1)
    c2 = cw * cw + ch * ch + 1e-7
    rho2 = ((tx1 + tx2 - px1 - px2) ** 2 + (ty1 + ty2 - py1 - py2) ** 2) / 4
    v = (4 / math.pi ** 2) * (torch.atan(tw / th) - torch.atan(pw / ph)) ** 2
    alpha = v / (v - iou + (1 + 1e-7))
    return iou - (rho2 / c2 + v * alpha)


# ------------------------------------------------------- reductions and norms


for _name in ("softmax_1k", "softmax_4k", "softmax_32k", "softmax_128k"):
    case(_name, lambda M, N: (rn(M, N),))(lambda x: torch.softmax(x.float(), -1).to(x.dtype))


@case("layernorm", lambda M, N: (rn(M, N), rn(N), rn(N)))
def _(x, g, b):
    return F.layer_norm(x, (x.shape[-1],), g, b)


@case("layernorm_odd", lambda M, N: (rn(M, N, dtype=H), rn(N, dtype=H), rn(N, dtype=H)))
def _(x, g, b):
    return F.layer_norm(x, (x.shape[-1],), g, b)


@case("add_rmsnorm", lambda M, N: (rn(M, N), rn(M, N), rn(N)))
def _(x, r, g):
    h = x + r
    hf = h.float()
    return h, (hf * torch.rsqrt(hf.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * g


@case("layernorm_bwd", lambda M, N: (rn(M, N), rn(M, N), rn(N)))
def _(dy, x, g):
    xf, d = x.float(), dy.float()
    mu = xf.mean(-1, keepdim=True)
    rs = torch.rsqrt((xf - mu).pow(2).mean(-1, keepdim=True) + 1e-5)
    xh = (xf - mu) * rs
    gd = d * g.float()
    dx = rs * (gd - gd.mean(-1, keepdim=True) - xh * (gd * xh).mean(-1, keepdim=True))
    return dx.to(x.dtype), (d * xh).sum(0).to(x.dtype), d.sum(0).to(x.dtype)


@case("rmsnorm_bwd", lambda M, N: (rn(M, N), rn(M, N), rn(N)))
def _(dy, x, g):
    xf, d = x.float(), dy.float()
    rs = torch.rsqrt(xf.pow(2).mean(-1, keepdim=True) + 1e-6)
    gd = d * g.float()
    xh = xf * rs
    dx = rs * (gd - xh * (gd * xh).mean(-1, keepdim=True))
    return dx.to(x.dtype), (d * xh).sum(0).to(x.dtype)


@case("cross_entropy", lambda M, V: (rn(M, V), drawn(M, V)))
def _(x, t):
    return F.cross_entropy(x.float(), t, reduction="none")


@case("cross_entropy_fwd_bwd", lambda M, V: (rn(M, V), drawn(M, V)))
def _(x, t):
    xf = x.float()
    lse = torch.logsumexp(xf, -1)
    loss = lse - xf.gather(1, t[:, None])[:, 0]
    p = torch.exp(xf - lse[:, None])
    cols = torch.arange(x.shape[1], device=x.device)
    return loss, ((p - (cols[None] == t[:, None]).float()) / x.shape[0]).to(x.dtype)


@case("bce_logits_mean", lambda N: (rn(N, dtype=f32), torch.rand(N, device=DEVICE)), tol=1e-3)
def _(x, t):
    return F.binary_cross_entropy_with_logits(x, t)


@case("mask_softmax", lambda B, H, M, N: (rn(B, H, M, N, dtype=f16), rn(1, H, M, N, dtype=f16),
                                           torch.rand(B, 1, M, N, device=DEVICE) > 0.2))
def _(x, bias, mask):
    s = (x.float() + bias.float()) * 0.125
    return torch.softmax(torch.where(mask, s, torch.full_like(s, -10000.0)), -1).to(x.dtype)


@case("groupnorm_nhwc_silu", lambda N, H, W, K: (rn(N, H, W, 32 * K, dtype=f16), rn(32 * K, dtype=f16), rn(32 * K, dtype=f16)))
def _(x, g, b):
    n, h, w, c = x.shape
    xf = x.float().view(n, h * w, 32, c // 32)
    mu = xf.mean((1, 3), keepdim=True)
    var = (xf - mu).pow(2).mean((1, 3), keepdim=True)
    y = ((xf - mu) * torch.rsqrt(var + 1e-5)).view(n, h, w, c) * g.float() + b.float()
    return (y * torch.sigmoid(y)).to(x.dtype)


@case("column_sum", lambda M, N: (rn(M, N),), tol=5e-2)
def _(x):
    return x.float().sum(0).to(x.dtype)


@case("mul_broadcast_bwd", lambda B, S, D: (rn(B, S, D), rn(B, S, D), rn(S, 1)), tol=5e-2)
def _(dy, x, s):
    return dy * s, (dy.float() * x.float()).sum((0, 2)).to(s.dtype)[:, None]


@case("argmax_rows", lambda M, N: (rn(M, N),))
def _(x):
    return torch.argmax(x, -1)


@case("cumsum_rows", lambda M, N: (rn(M, N, dtype=f32),), tol=1e-3)
def _(x):
    return torch.cumsum(x, -1)


# -------------------------------------------------------- layout and indexing


@case("transpose_2d", lambda M, N: (rn(M, N),))
def _(x):
    return x.t().contiguous()


@case("permute_0213", lambda B, S, H, D: (rn(B, S, H, D),))
def _(x):
    return x.permute(0, 2, 1, 3).contiguous()


@case("nchw_to_nhwc", lambda N, C, H, W: (rn(N, C, H, W, dtype=f16),))
def _(x):
    return x.permute(0, 2, 3, 1).contiguous()


@case("upsample2x", lambda N, C, H, W: (rn(N, C, H, W, dtype=f16),))
def _(x):
    return F.interpolate(x, scale_factor=2, mode="nearest")


@case("upsample2x_bwd", lambda N, C, H, W: (rn(N, C, 2 * H, 2 * W, dtype=f16),))
def _(dy):
    n, c, h, w = dy.shape
    return dy.float().view(n, c, h // 2, 2, w // 2, 2).sum((3, 5)).to(dy.dtype)


@case("embedding", lambda V, D, N: (rn(V, D), drawn(N, V)),
      bytes_=lambda w, i: 2 * i.numel() * w.shape[1] * w.element_size() + i.numel() * 8)
def _(w, i):
    return w[i]


@case("concat_kv", lambda B, H, S, T, D: (rn(B, H, S, D, dtype=f16), rn(B, H, T, D, dtype=f16)))
def _(past, new):
    return torch.cat([past, new], 2)


def scatter_rows(t, e, ids):
    return t.index_add(0, ids, e.to(t.dtype))


for _name in ("scatter_rows", "scatter_rows_fast"):
    case(_name, lambda: (rn(1024, 64, dtype=f32), rn(8192, 64), torch.randint(0, 1024, (8192,), device=DEVICE)), tol=1e-3)(scatter_rows)


@case("copied_rows", lambda: (rn(50304, 256, dtype=f32), rn(8192, 256, dtype=f32), torch.randperm(50304, device=DEVICE)[:8192]))
def _(t, e, ids):
    return t.index_copy(0, ids, e)


# --------------------------------------------------------------- accumulation


def drawn(n, high, dtype=torch.int64):
    return torch.randint(0, high, (n,), device=DEVICE, dtype=dtype)


def zipf(n, high):
    """Numbers as words of a text: the k-th most frequent one 1/k as often as the first, in any order."""
    p = 1 / torch.arange(1, high + 1, device=DEVICE, dtype=torch.float64)
    return torch.randperm(high, device=DEVICE)[torch.searchsorted(torch.cumsum(p, 0) / p.sum(), torch.rand(n, device=DEVICE).double()).clamp(max=high - 1)]


def embedding_bwd(g, ids):
    return torch.ops.aten.embedding_dense_backward(g, ids, 50257, -1, False)


case("embedding_bwd", lambda: (rn(65536, 1024), drawn(65536, 50257)))(embedding_bwd)
case("embedding_bwd.zipf", lambda: (rn(65536, 1024), zipf(65536, 50257)))(embedding_bwd)


@case("embedding_bwd_fast", lambda: (rn(65536, 1024), drawn(65536, 50257)))
def _(g, ids):
    return torch.zeros(50257, 1024, dtype=f32, device=g.device).index_add(0, ids, g.float()).to(g.dtype)


def segment_mean(x, ids):
    n = torch.bincount(ids, minlength=16384).clamp(min=1)
    return torch.zeros(16384, 256, dtype=x.dtype, device=x.device).index_add(0, ids, x) / n[:, None]


for _name in ("segment_mean", "segment_mean_fast"):
    case(_name, lambda: (rn(524288, 256, dtype=f32), drawn(524288, 16384)), tol=1e-5)(segment_mean)


@case("touched_rows_fast", lambda: (rn(50304, 768, dtype=f32), rn(4096, 768, dtype=f32), drawn(4096, 50304)), tol=1e-5,
      bytes_=4 * 4096 * 768 * 3 + 4096 * 8)
def _(w, e, ids):
    return w.index_add(0, ids, e)


@case("bincount", lambda: (drawn(10 ** 7, 10 ** 5, torch.int32),))
def _(ids):
    return torch.bincount(ids, minlength=10 ** 5)


@case("histogram_bytes", lambda: (drawn(2 ** 28, 256, torch.uint8),))
def _(x):
    return torch.bincount(x, minlength=256)


# -------------------------------------------------------------------- ranking
# Values of 32 bits, few of which are equal: places of equal ones are torch's to choose, and count as an error.


@case("topk_8", lambda: (rn(8192, 50257, dtype=f32),))
def _(x):
    return tuple(torch.topk(x, 8))


@case("topk_64", lambda: (rn(16, 10 ** 6, dtype=f32),))
def _(x):
    return tuple(torch.topk(x, 64))


@case("sort_1e7", lambda: (rn(10 ** 7, dtype=f32),))
def _(x):
    return tuple(torch.sort(x))


@case("sort_rows", lambda: (rn(65536, 1000, dtype=f32),))
def _(x):
    return tuple(torch.sort(x))


# ------------------------------------------------------------------ optimizer


def _params():
    shapes = [(4096, 4096)] * 4 + [(11008, 4096)] * 2 + [(4096, 11008)] + [(4096,)] * 2
    p = [rn(*s, dtype=f32) for s in shapes]
    return p, [rn(*s, dtype=f32) for s in shapes], [rn(*s, dtype=f32) for s in shapes], [rn(*s, dtype=f32).abs() for s in shapes]


@case("adamw_multi", lambda: _params(), tol=1e-4)
def _(p, g, m, v):
    lr, b1, b2, eps, wd = 1e-3, 0.9, 0.999, 1e-8, 0.01
    out = []
    for pi, gi, mi, vi in zip(p, g, m, v):
        mn = b1 * mi + (1 - b1) * gi
        vn = b2 * vi + (1 - b2) * gi * gi
        pn = pi * (1 - lr * wd) - lr * (mn / (1 - b1)) / (torch.sqrt(vn / (1 - b2)) + eps)
        out += [pn, mn, vn]
    return out


# --------------------------------------------------------------- matrix units


def gemm(name, m, k, n, act, dtype=B, extra=None):
    mk = lambda: (rn(m, k, dtype=dtype), rn(k, n, dtype=dtype, scale=k ** -0.5), rn(n, dtype=dtype)) + (extra() if extra else ())
    case(name, mk, flops=2 * m * k * n, kind="matrix")(act)


gemm("gemm_8k", 8192, 8192, 8192, lambda x, w, b: x @ w)
gemm("gemm_4k", 4096, 4096, 4096, lambda x, w, b: x @ w)
gemm("gemm_1k", 1024, 1024, 1024, lambda x, w, b: x @ w)
gemm("linear_gelu", 8192, 4096, 16384, lambda x, w, b: F.gelu(torch.addmm(b, x, w), approximate="tanh"))
gemm("linear_residual", 8192, 16384, 4096, lambda x, w, b, r: r + torch.addmm(b, x, w), extra=lambda: (rn(8192, 4096),))
gemm("linear_silu_odd", 4000, 1000, 3000, lambda x, w, b: F.silu(torch.addmm(b, x, w)), dtype=H)
gemm("linear_skinny", 16, 4096, 14336, lambda x, w, b: torch.addmm(b, x, w))


@case("glu_dual_gemm", lambda: (rn(8192, 4096), rn(4096, 11008, scale=1 / 64), rn(4096, 11008, scale=1 / 64)),
      flops=4 * 8192 * 4096 * 11008, kind="matrix")
def _(x, w, v):
    return F.silu(x @ w) * (x @ v)


@case("mlp4", lambda: (rn(16384, 512, dtype=H),) + tuple(
    t for a, b in ((512, 1024), (1024, 1024), (1024, 512), (512, 256))
    for t in (rn(a, b, dtype=H, scale=a ** -0.5), rn(b, dtype=H))),
    flops=2 * 16384 * (512 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256), kind="matrix")
def _(x, *wb):
    for i in range(0, len(wb), 2):
        x = F.relu(torch.addmm(wb[i + 1], x, wb[i]))
    return x


@case("grouped_gemm", lambda: (rn(64, 256, 1024, dtype=H), rn(64, 1024, 1024, dtype=H, scale=1 / 32), rn(64, 1, 1024, dtype=H)),
      flops=2 * 64 * 256 * 1024 * 1024, kind="matrix")
def _(x, w, b):
    return torch.baddbmm(b.expand(-1, 256, -1), x, w)


@case("dlrm_interaction", lambda: (rn(32768, 27, 128, dtype=H),), flops=2 * 32768 * 27 * 27 * 128, kind="memory",
      bytes_=32768 * 27 * 128 * 2 + 32768 * 351 * 2)
def _(x):
    z = torch.bmm(x, x.transpose(1, 2))
    i, j = torch.tril_indices(27, 27, -1, device=x.device)
    return z[:, i, j]


def _q8(k, n):
    return torch.randint(-127, 128, (k, n), device=DEVICE, dtype=torch.int8), (torch.rand(n, device=DEVICE) * 0.01).to(H)


for _m in (1, 8):
    case(f"int8_weight_m{_m}", lambda m=_m: (rn(m, 5120, dtype=H),) + _q8(5120, 20480), flops=2 * _m * 5120 * 20480,
         kind="memory", reference=lambda x, q, s: (x @ q.double()) * s)(lambda x, q, s: (x @ q.to(H)) * s)


def _qkv(b, h, s, d, dtype=B):
    return tuple(rn(b, h, s, d, dtype=dtype) for _ in range(3))


for _n, (_b, _h, _s, _d, _c) in {"attn_d128": (2, 16, 8192, 128, False), "attn_d128_causal": (2, 16, 8192, 128, True),
                                 "attn_d64_causal": (4, 32, 4096, 64, True), "attn_short": (64, 16, 512, 64, False)}.items():
    case(_n, lambda b=_b, h=_h, s=_s, d=_d: _qkv(b, h, s, d), flops=4 * _b * _h * _s * _s * _d * (0.5 if _c else 1),
         kind="matrix")(lambda q, k, v, c=_c: F.scaled_dot_product_attention(q, k, v, is_causal=c))


@case("attn_decode", lambda: (rn(64, 32, 1, 128), rn(64, 32, 8192, 128), rn(64, 32, 8192, 128)), kind="memory", wide=torch.float32)
def _(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


@case("conv3x3_nhwc_silu", lambda: (rn(16, 64, 64, 320, dtype=H), rn(320, 3, 3, 320, dtype=H, scale=1 / 54), rn(320, dtype=H)),
      flops=2 * 16 * 64 * 64 * 320 * 9 * 320, kind="matrix")
def _(x, w, b):
    y = F.conv2d(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2), b, padding=1)
    return F.silu(y).permute(0, 2, 3, 1).contiguous()
