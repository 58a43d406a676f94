"""The cases that bench/kernels.py times: inputs, dimensions in the order of the C interface, and what PyTorch says the answer is.

A case's name is that of tests/kernels/NAME.kernel, and of its entry. `make` gives the inputs in the entry's order, `outs` the shapes and types of
the outputs, `ref` the expression that defines the answer (and that torch.compile gets).
"""
import torch
import torch.nn.functional as F

B, H, f32, i64 = torch.bfloat16, torch.float16, torch.float32, torch.int64
CASES = {}


def rn(*shape, dtype=B):
    return torch.randn(*shape, device="cuda", dtype=f32).to(dtype)


def case(name, make, outs, dims, tol=2e-2):
    def deco(fn):
        CASES[name] = dict(make=make, outs=outs, dims=dims, ref=fn, tol=tol)
        return fn
    return deco


for _n, (_r, _c) in {"softmax_1k": (65536, 1024), "softmax_4k": (16384, 4096), "softmax_32k": (4096, 32768),
                     "softmax_128k": (1024, 131072)}.items():
    case(_n, lambda r=_r, c=_c: (rn(r, c),), [((_r, _c), B)], [_r])(lambda x: torch.softmax(x.float(), -1).to(x.dtype))


@case("softmax_stream", lambda: (rn(4096, 32768),), [((4096, 32768), B)], [4096, 32768])
def _(x):
    return torch.softmax(x.float(), -1).to(x.dtype)


@case("layernorm", lambda: (rn(16384, 4096), rn(4096), rn(4096)), [((16384, 4096), B)], [16384])
def _(x, g, b):
    return F.layer_norm(x, (x.shape[-1],), g, b)


@case("layernorm_odd", lambda: (rn(32768, 1021, dtype=H), rn(1021, dtype=H), rn(1021, dtype=H)), [((32768, 1021), H)], [32768])
def _(x, g, b):
    return F.layer_norm(x, (x.shape[-1],), g, b)


@case("layernorm_bwd", lambda: (rn(16384, 4096), rn(16384, 4096), rn(4096)), [((16384, 4096), B), ((4096,), B), ((4096,), B)], [16384], 5e-2)
def _(dy, x, g):
    xf, d = x.float(), dy.float()
    mu = xf.mean(-1, keepdim=True)
    rs = torch.rsqrt((xf - mu).pow(2).mean(-1, keepdim=True) + 1e-5)
    xh = (xf - mu) * rs
    gd = d * g.float()
    dx = rs * (gd - gd.mean(-1, keepdim=True) - xh * (gd * xh).mean(-1, keepdim=True))
    return dx.to(x.dtype), (d * xh).sum(0).to(x.dtype), d.sum(0).to(x.dtype)


@case("cross_entropy_fwd_bwd", lambda: (rn(8192, 50257), torch.randint(0, 50257, (8192,), device="cuda")),
      [((8192,), f32), ((8192, 50257), B)], [8192])
def _(x, t):
    xf = x.float()
    lse = torch.logsumexp(xf, -1)
    loss = lse - xf.gather(1, t[:, None])[:, 0]
    p = torch.exp(xf - lse[:, None])
    cols = torch.arange(x.shape[1], device=x.device)
    return loss, ((p - (cols[None] == t[:, None]).float()) / x.shape[0]).to(x.dtype)


@case("groupnorm_nhwc_silu", lambda: (rn(16, 64, 64, 320, dtype=H), rn(320, dtype=H), rn(320, dtype=H)), [((16, 64, 64, 320), H)], [16])
def _(x, g, b):
    n, h, w, c = x.shape
    xf = x.float().view(n, h * w, 32, c // 32)
    mu = xf.mean((1, 3), keepdim=True)
    var = (xf - mu).pow(2).mean((1, 3), keepdim=True)
    y = ((xf - mu) * torch.rsqrt(var + 1e-5)).view(n, h, w, c) * g.float() + b.float()
    return (y * torch.sigmoid(y)).to(x.dtype)


@case("column_sum", lambda: (rn(131072, 4096),), [((4096,), B)], [131072], 5e-2)
def _(x):
    return x.float().sum(0).to(x.dtype)


@case("argmax_rows", lambda: (rn(8192, 50257),), [((8192,), i64)], [8192])
def _(x):
    return torch.argmax(x, -1)


@case("cumsum_rows", lambda: (rn(8192, 8192, dtype=f32),), [((8192, 8192), f32)], [8192], 1e-3)
def _(x):
    return torch.cumsum(x, -1)


@case("transpose_2d", lambda: (rn(16384, 16384),), [((16384, 16384), B)], [16384, 16384])
def _(x):
    return x.t().contiguous()


@case("permute_0213", lambda: (rn(16, 2048, 32, 128),), [((16, 32, 2048, 128), B)], [16, 2048, 32])
def _(x):
    return x.permute(0, 2, 1, 3).contiguous()


@case("concat_kv", lambda: (rn(16, 40, 2047, 128, dtype=H), rn(16, 40, 1, 128, dtype=H)), [((16, 40, 2048, 128), H)], [16, 40, 2047, 1])
def _(past, new):
    return torch.cat([past, new], 2)


@case("upsample2x", lambda: (rn(32, 320, 64, 64, dtype=H),), [((32, 320, 128, 128), H)], [32, 320, 64, 64])
def _(x):
    return F.interpolate(x, scale_factor=2, mode="nearest")


@case("embedding", lambda: (rn(50257, 1600), torch.randint(0, 50257, (65536,), device="cuda")), [((65536, 1600), B)], [50257, 65536])
def _(w, i):
    return w[i]


@case("scatter_rows", lambda: (rn(256, 64, dtype=f32), rn(4096, 64), torch.randint(0, 256, (4096,), device="cuda")), [((256, 64), f32)], [256, 4096], 1e-3)
def _(t, e, ids):
    return t.index_add(0, ids, e.float())
