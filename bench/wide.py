"""Compositions that nothing was tuned for: programs as users write them, mostly of several kinds at once.

As suite.py: a case is the inputs of wide/NAME.td, of the dimensions by name, and the PyTorch expression of its answer.
They are judged beside torch.compile. The cases of DRAWN are of random programs, as is said there.
"""
import functools
import torch
import torch.nn.functional as F
import suite
from suite import rn, drawn, f16, f32

CASES = {}
case = functools.partial(suite.case, into=CASES)
B = torch.bfloat16


def uniform(*shape, low=0.0, high=1.0, dtype=f32):
    return (torch.rand(*shape, device=suite.DEVICE) * (high - low) + low).to(dtype)


def flags(*shape, share=0.7):
    return torch.rand(*shape, device=suite.DEVICE) < share


def offsets(n, total):
    """n + 1 ascending numbers from 0 to `total`: where ranges of any lengths begin."""
    ends = torch.tensor([0, total], device=suite.DEVICE)
    return torch.cat([ends[:1], drawn(n - 1, total + 1).sort().values, ends[1:]])


# ------------------------------------------------------------ reductions, norms


@case("middle_softmax", lambda B, M, D: (rn(B, M, D, dtype=f16),))
def _(x):
    return torch.softmax(x.float(), 1).to(x.dtype)


@case("middle_mean_max", lambda B, S, D: (rn(B, S, D, dtype=f32),), tol=1e-4)
def _(x):
    return x.mean(1), x.amax(1)


@case("two_axes_norm", lambda B, C, T, F: (rn(B, C, T, F), rn(C), rn(C)))
def _(x, g, b):
    h = x.float()
    va, mu = torch.var_mean(h, (1, 3), correction=0, keepdim=True)
    return ((h - mu) * torch.rsqrt(va + 1e-5) * g[:, None, None] + b[:, None, None]).to(x.dtype)


@case("norm_bwd_residual", lambda M, N: (rn(M, N), rn(M, N), rn(M, N), rn(M, dtype=f32), uniform(M, low=0.5, high=2),
                                         rn(N, dtype=f32)))
def _(dy, x, dres, mu, inv, w):
    xh, d = (x.float() - mu[:, None]) * inv[:, None], dy.float()
    g = d * w
    dx = inv[:, None] * (g - g.mean(-1, keepdim=True) - xh * (g * xh).mean(-1, keepdim=True))
    return (dx + dres.float()).to(x.dtype), (d * xh).sum(0), d.sum(0)


@case("gather_add_norm", lambda V, D, B, S: (rn(V, D), rn(S, D), drawn(B * S, V, torch.int32).view(B, S), rn(B, S, D),
                                             rn(D, dtype=f32)),
      bytes_=lambda t, pos, ids, r, w: ids.numel() * 4 + 2 * pos.numel() + 4 * 2 * r.numel() + 4 * w.numel())
def _(t, pos, ids, r, w):
    h = (t[ids].float() + pos.float() + r.float()).to(r.dtype)
    f = h.float()
    return h, (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6) * w).to(r.dtype)


@case("edge_softmax", lambda E, H, V: (rn(E, H, dtype=f32), drawn(E, V), V), tol=1e-4)
def _(e, dst, v):
    at = dst[:, None].expand_as(e)
    m = torch.full((v, e.shape[1]), -torch.inf, dtype=e.dtype, device=e.device).scatter_reduce(0, at, e, "amax")
    p = torch.exp(e - m[dst])
    s = torch.zeros_like(m).index_add(0, dst, p)
    return p / s[dst], s


@case("ragged_mean", lambda T, D, S: (rn(T, D, dtype=f32), offsets(S, T)), tol=1e-4)
def _(x, off):
    n = off.diff().clamp(min=1)[:, None]
    return torch.segment_reduce(x, "sum", offsets=off, axis=0, initial=0) / n


@case("masked_pool", lambda B, S, D: (rn(B, S, D), flags(B, S)))
def _(x, mask):
    k = mask[..., None]
    m = (x.float() * k).sum(1) / k.sum(1).clamp(min=1)
    return F.normalize(m, dim=-1)


@case("softmax_transposed", lambda B, M, N: (rn(B, M, N),))
def _(x):
    return torch.softmax(x.float(), -1).to(x.dtype).transpose(1, 2).contiguous()


@case("channel_stats", lambda N, H, W: (rn(N, H, W, 3, dtype=f16),), tol=1e-2)
def _(x):
    h = x.float()
    return h.mean((0, 1, 2)), h.std((0, 1, 2), correction=0)


@case("batch_norm_last_relu", lambda N, H, W, C: (rn(N, H, W, C), rn(C, dtype=f32), rn(C, dtype=f32)))
def _(x, g, b):
    h = x.float()
    va, mu = torch.var_mean(h, (0, 1, 2), correction=0)
    return F.relu((h - mu) * torch.rsqrt(va + 1e-5) * g + b).to(x.dtype)


@case("window_bias_softmax",
      lambda B, H, L, R: (rn(B, H, L, L, dtype=f16), rn(R, H, dtype=f16), drawn(L * L, R).view(L, L)))
def _(s, t, at):
    return torch.softmax(s.float() + t[at].permute(2, 0, 1).float(), -1).to(s.dtype)


@case("alibi_causal_softmax", lambda B, H, L: (rn(B, H, L, L, dtype=f16), uniform(H, high=0.5)))
def _(s, slope):
    i = torch.arange(s.shape[-1], device=s.device)
    z = s.float() + slope[:, None, None] * (i - i[:, None])
    return torch.softmax(z.masked_fill(i > i[:, None], -torch.inf), -1).to(s.dtype)


@case("rms_norm_heads", lambda B, S, H, D: (rn(B, S, H, 2 * D), rn(2 * D, dtype=f32), rn(S, D, dtype=f32),
                                            rn(S, D, dtype=f32)))
def _(x, w, c, s):
    h = x.float()
    a, b = (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * w).transpose(1, 2).chunk(2, -1)
    return torch.cat([a * c - b * s, b * c + a * s], -1).to(x.dtype)


@case("dropout_add_norm", lambda M, N: (rn(M, N, dtype=f16), drawn(M * N, 2, torch.uint8).view(M, N),
                                        rn(M, N, dtype=f16), rn(N, dtype=f16), rn(N, dtype=f16)))
def _(x, keep, r, g, b):
    h = (x.float() * keep / 0.9 + r.float()).to(x.dtype)
    return h, F.layer_norm(h, h.shape[-1:], g, b)


@case("norm_gelu_small", lambda M, N: (rn(M, N), rn(N, dtype=f32), rn(N, dtype=f32)))
def _(x, g, b):
    return F.gelu(F.layer_norm(x.float(), x.shape[-1:], g.float(), b.float())).to(x.dtype)


@case("softmax_small", lambda M, N: (rn(M, N, dtype=f32),), tol=1e-4)
def _(x):
    return torch.softmax(x, -1)


@case("column_deviation", lambda M, N: (rn(M, N, dtype=f32),), tol=1e-4)
def _(x):
    return x.std(0, correction=0)


@case("min_max_columns", lambda M, N: (rn(M, N, dtype=f32),), tol=1e-4)
def _(x):
    lo, hi = x.amin(0), x.amax(0)
    return (x - lo) / (hi - lo).clamp(min=1e-12)


@case("cosine_rows", lambda M, N: (rn(M, N, dtype=f16), rn(M, N, dtype=f16)), tol=1e-3)
def _(x, y):
    return F.cosine_similarity(x.float(), y.float(), -1)


@case("class_of_pixels", lambda N, C, H, W: (rn(N, C, H, W, dtype=f16),))
def _(x):
    return x.argmax(1)


# ------------------------------------------------------------------ scans, wholes


@case("decay_scan", lambda M, T: (rn(M, T, dtype=f32), rn(M, T, dtype=f32)), tol=1e-4)
def _(x, a):
    return x * torch.exp(torch.cumsum(-0.01 * F.softplus(a), -1))


@case("drawdown", lambda M, T: (rn(M, T, dtype=f32),), tol=1e-4)
def _(x):
    y = torch.cummax(x, -1).values - x
    return y, y.amax(-1)


@case("whole_stats", lambda N: (rn(N, dtype=f32),), tol=1e-3)
def _(x):
    return x.mean(), x.var(correction=0), x.abs().max()


@case("clip_by_norm", lambda N: (rn(N),))
def _(g):
    f = g.float()
    r = f.pow(2).sum().sqrt()
    return (f * (1 / (r + 1e-6)).clamp(max=1)).to(g.dtype), r


@case("returns_normalised", lambda M, T: (rn(M, T, dtype=f32),), tol=1e-3)
def _(r):
    g = r.flip(-1).cumsum(-1).flip(-1)
    va, mu = torch.var_mean(g, -1, correction=0, keepdim=True)
    return (g - mu) * torch.rsqrt(va + 1e-8)


@case("focal_mean", lambda M, N: (rn(M, N, dtype=f16), uniform(M, N, dtype=f16)), tol=1e-3)
def _(x, t):
    x, t = x.float(), t.float()
    p = torch.sigmoid(x)
    miss = p + t - 2 * p * t
    loss = F.binary_cross_entropy_with_logits(x, t, reduction="none")
    return ((0.25 * t + 0.75 * (1 - t)) * miss * miss * loss).mean()


@case("huber_with_gradient", lambda N: (rn(N, dtype=f32), rn(N, dtype=f32)), tol=1e-4)
def _(x, t):
    return F.huber_loss(x, t), (x - t).clamp(-1, 1) / len(x)


@case("lion_small", lambda N: (rn(N, dtype=f32), rn(N, dtype=f32), rn(N, dtype=f32)), tol=1e-4)
def _(p, m, g):
    return p * (1 - 1e-4 * 0.1) - 1e-4 * torch.sign(0.9 * m + 0.1 * g), 0.99 * m + 0.01 * g


@case("confusion_counts", lambda T, K: (drawn(T, K, torch.int32), drawn(T, K, torch.int32), K), tol=0)
def _(p, t, k):
    return torch.bincount(t * k + p, minlength=k * k).view(k, k).int()


@case("weighted_scatter", lambda E, D, V: (rn(E, D, dtype=f32), rn(E, dtype=f32), drawn(E, V), V), tol=1e-4)
def _(x, w, to, v):
    return torch.zeros(v, x.shape[1], dtype=x.dtype, device=x.device).index_add(0, to, w[:, None] * x)


@case("gate_top2", lambda M: (rn(M, 64, dtype=f32),), tol=1e-3)
def _(x):
    v, at = torch.topk(x, 2)
    return torch.softmax(v, -1), at


# ----------------------------------------------------------------- pieces, layouts


@case("rotary_pairs", lambda B, S, H, D: (rn(B, S, H, 2 * D), rn(S, D, dtype=f32), rn(S, D, dtype=f32)))
def _(x, c, s):
    a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    c, s = c[None, :, None], s[None, :, None]
    return torch.stack([a * c - b * s, b * c + a * s], -1).flatten(-2).to(x.dtype)


@case("image_planes", lambda N, H, W: (drawn(N * H * W * 3, 256, torch.uint8).view(N, H, W, 3), uniform(3),
                                       uniform(3, low=0.2, high=0.3)))
def _(x, m, d):
    return ((x.float() / 255 - m) / d).permute(0, 3, 1, 2).to(f16).contiguous()


@case("concat_odd", lambda M, A, B, C: (rn(M, A, dtype=f32), rn(M, B, dtype=f32), rn(M, C, dtype=f32)), tol=1e-6)
def _(a, b, c):
    return torch.cat([a, 0.5 * b, c], 1)


@case("class_token", lambda B, S, D: (rn(B, S, D), rn(D), rn(S + 1, D)))
def _(x, t, pos):
    return torch.cat([t.expand(x.shape[0], 1, -1), x], 1) + pos


@case("swiglu_bwd", lambda M, N: (rn(M, N), rn(M, 2 * N)))
def _(dy, x):
    a, b = x.float().chunk(2, -1)
    d, s = dy.float(), torch.sigmoid(a)
    return torch.cat([d * b * s * (1 + a * (1 - s)), d * a * s], -1).to(x.dtype)


@case("patches", lambda N, P, Q: (uniform(N, 3, 16 * P, 16 * Q), P, Q))
def _(x, p, q):
    y = x.view(-1, 3, p, 16, q, 16).permute(0, 2, 4, 1, 3, 5).reshape(-1, p, q, 768)
    return ((y - 0.5) * 2).to(torch.bfloat16)


@case("shifted_windows", lambda N, P, Q, C: (rn(N, 7 * P, 7 * Q, C, dtype=f16),))
def _(x):
    n, h, w, c = x.shape
    y = x.roll((-3, -3), (1, 2)).view(n, h // 7, 7, w // 7, 7, c)
    return y.permute(0, 1, 3, 2, 4, 5).reshape(n, h // 7, w // 7, 49, c)


# ------------------------------------------------------------------------- windows


@case("max_pool3s2", lambda N, C, H, W: (rn(N, C, H, W, dtype=f16),), tol=1e-6)
def _(x):
    return F.max_pool2d(x, 3, 2, 1)


@case("mean_window_last", lambda N, H, W, C: (rn(N, H, W, C, dtype=f32),), tol=1e-4)
def _(x):
    return F.avg_pool2d(x.permute(0, 3, 1, 2), 3, 1, 1).permute(0, 2, 3, 1).contiguous()


@case("depthwise_silu", lambda N, H, W, C: (rn(N, H, W, C), rn(3, 3, C, scale=1 / 3), rn(C)))
def _(x, w, b):
    y = F.conv2d(x.permute(0, 3, 1, 2), w.permute(2, 0, 1)[:, None], b, padding=1, groups=x.shape[-1])
    return F.silu(y).permute(0, 2, 3, 1).contiguous()


@case("causal_conv_silu", lambda N, C, L: (rn(N, C, L, dtype=f16), rn(C, 4, dtype=f16, scale=0.5), rn(C, dtype=f16)))
def _(x, w, b):
    return F.silu(F.conv1d(F.pad(x, (3, 0)), w[:, None], b, groups=x.shape[1]))


@case("heat_step", lambda H, W: (rn(H, W, dtype=f32),), tol=1e-5)
def _(u):
    p = F.pad(u, (1, 1, 1, 1))
    return u + 0.1 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)


@case("resize_images", lambda N, H, W, P, Q: (rn(N, 3, H, W, dtype=f32), P, Q), tol=1e-3)
def _(x, p, q):
    return F.interpolate(x, size=(p, q), mode="bilinear")


# -------------------------------------------------------------------- rows of logits


@case("two_temperatures", lambda M, N: (rn(M, N),), tol=1e-3)
def _(x):
    h = x.float()
    q = torch.log_softmax(2 * h, -1)
    return torch.logsumexp(0.5 * h, -1), torch.logsumexp(2 * h, -1), -(q.exp() * q).sum(-1)


@case("distill_rows", lambda M, N: (rn(M, N, dtype=f16), rn(M, N, dtype=f16)), tol=1e-3)
def _(s, t):
    p, q = torch.log_softmax(s.float() / 2, -1), torch.log_softmax(t.float() / 2, -1)
    return 4 * (q.exp() * (q - p)).sum(-1)


@case("smooth_cross_entropy", lambda M, V: (rn(M, V, dtype=f16), drawn(M, V)), tol=1e-3)
def _(x, t):
    return F.cross_entropy(x.float(), t, reduction="none", label_smoothing=0.1)


# ---------------------------------------------------------------------- quantisation


@case("swiglu_quantised", lambda M, N: (rn(M, 2 * N),))
def _(x):
    a, b = x.float().chunk(2, -1)
    h = F.silu(a) * b
    scale = (h.abs().amax(-1) / 127).clamp(min=1e-12)
    return (h / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale


@case("dequantised_residual", lambda M, K: (drawn(M * K * 64, 255, torch.uint8).view(torch.int8).view(M, 64 * K),
                                            uniform(M, K, high=0.01, dtype=f16), rn(M, 64 * K)))
def _(q, s, r):
    k = s.shape[1]
    return (r.float() + (q.view(-1, k, 64).float() * s[..., None].float()).view(r.shape)).to(r.dtype)


# --------------------------------------------------------------------------- drawn

DRAWN = """`build/random --seed 1600 --only K --show` prints program K. drawn_K.td are the first sixteen
that, in the order of K,

 - have at most 340 characters of equations, element types that PyTorch computes with (no u32, no 4-bit and 8-bit floats
   or integers of 4 bits), one of them a float of 16 or 32 bits, no options, and a tensor of two dimensions, a fold, or
   data that are indices;
 - have neither matrix products, rankings nor random numbers, and no results beside a tensor that is updated in place;
 - do work, with what does not vary computed once, in proportion to the bytes that they move, at least half of those of
   their tensors, and do not leave a tensor as it was.

Their equations and types are as drawn; lets and parameters that no result needs are left out, and so are the ranges of
dimensions. All dimensions of a program have one length, the largest odd one at which its tensors hold at most 64 MB."""


def before(x):
    """x[max(i - 1, 0)]"""
    return torch.cat([x[:1], x[:-1]])


def count(n, x):
    return torch.arange(n, device=x.device)


@case("drawn_23", lambda A, B, D: (rn(A, A, dtype=f32), flags(A, A), drawn(B, D, torch.int32),
                                   rn(1, dtype=f16).view(()), D), tol=1e-5)
def _(x0, x1, x3, x4, d):
    y2 = torch.cat([x0.diagonal().expand(2, -1), (~x1[2:]).to(x0.dtype)])
    lowest = torch.full((d,), -torch.inf, dtype=x0.dtype, device=x0.device)
    return y2, lowest.scatter_reduce(0, x3.long(), x4.to(x0.dtype).expand(x3.shape), "amax")


@case("drawn_105", lambda C, A: (rn(C, dtype=f32), A))
def _(x0, a):
    return torch.acos(0.9 * torch.tanh(x0)).to(torch.bfloat16)[:, None].expand(-1, a).contiguous()


@case("drawn_120", lambda A, B, C: (drawn(A, B + C, torch.int32), rn(A, B + 2, dtype=f16), B + C), tol=1e-4)
def _(x0, x1, n):
    h = x1.float()
    v = torch.where((before(x0) > x0)[:, None], h.trunc(), h - 1).amax(1)
    return torch.full((n,), -torch.inf, device=x0.device).scatter_reduce(0, x0.long(), v, "amax")


@case("drawn_137", lambda C, s4: (rn(C, dtype=torch.float64), flags(C), s4), tol=1e-5)
def _(x0, x3, s4):
    t1 = x0.float()
    return (torch.where(x3, t1[count(len(t1), t1) // 4 * 4], s4) * 2 - 2).trunc()


@case("drawn_174", lambda A: (rn(A, dtype=f32), rn(A, dtype=f32)))
def _(x0, x2):
    return torch.cat([x0[:1].expand(2), x2[2:]]).to(f16)


@case("drawn_241", lambda D, s0, s3: (s0, drawn(D, D), s3), tol=1e-4)
def _(s0, x2, s3):
    i = count(len(x2), x2)
    y1 = torch.where(i < 2, 0.5 ** 0.5, s0 * 0.5 + 1.0).to(f16)
    added = torch.where(torch.isfinite(y1[i // 2].float() * s3), (i // 2).float(), 0)
    return y1, torch.zeros(len(x2), device=x2.device).index_add(0, x2, added)


@case("drawn_260", lambda A, B: (rn(B + 3, 5 * A, B),))
def _(x2):
    return x2.transpose(1, 2).contiguous()


@case("drawn_292", lambda A: (rn(2 * A, 4 * A, dtype=f16), flags(4 * A, 2 * A),
                              drawn(8 * A * A, 256, torch.uint8).view(4 * A, 2 * A),
                              drawn(4 * A, 2 * A + 3, torch.int32) - 2))
def _(x0, x2, x3, x4):
    g = x0.float()
    n, m = g.shape
    i, j = count(m, g), count(n, g)
    t1 = torch.lgamma((before(g) + (g - j[:, None]) * torch.log2(g.abs() + 0.5)).abs() + 0.5).clamp(-4, 4)
    own = x4 == j[:, None]
    scaled = t1.to(torch.bfloat16).float() * torch.atanh(0.9 * torch.tanh((j - 1).float()))[:, None]
    most = torch.where(own, scaled, -torch.inf).amax(1)
    folded = torch.where(own.any(1), torch.maximum(t1[:, i // 2].T, most), -torch.inf)
    y5 = torch.where(x2 & x2.roll(-1, 1), x3.roll(-1, 0).float(), folded)
    return y5.to(f16), torch.full((8,), 0.1, dtype=f16, device=x0.device)


@case("drawn_300", lambda C, D: (rn(C + D, C + D, dtype=f32), D), tol=1e-5)
def _(x0, d):
    at = count(len(x0), x0)
    v = torch.expm1(-(x0[(at - 1).clamp(min=0), at] - torch.rsqrt(x0.diagonal().abs() + 0.3)).abs()) + 10.0 * (d + 2)
    return torch.sinh(torch.tanh(v)).double()[:, None].expand(len(x0), -1, len(x0)).contiguous()


@case("drawn_304", lambda B: (B,))
def _(b):
    return (4 - torch.arange(b, device=suite.DEVICE)).to(torch.int16)[:, None].expand(b, -1, 33).contiguous()


@case("drawn_306", lambda A, C: (rn(A + C, C, dtype=f32),))
def _(x0):
    return x0.clone()


@case("drawn_316", lambda C: (rn(2 * C, 2 * C),))
def _(p0):
    j = count(len(p0), p0)
    b = p0.float()[:, j // 4 * 4] * 0.5
    c = torch.tanh(b)
    return ((b * c + c) * j).to(p0.dtype)


@case("drawn_336", lambda A: (rn(33, A),))
def _(p1):
    f = p1.flip(0)
    return torch.cat([f[:, :1], f[:, :-1]], 1)


@case("drawn_339", lambda C: (rn(4 * C, dtype=f32),), tol=1e-5)
def _(p0):
    return torch.round(torch.tanh(p0.amax())) * p0


@case("drawn_348", lambda A, B, C: (rn(A * B, C, dtype=f32),
                                    drawn(8 * C * A * B, 100, torch.int32).view(8 * C, A * B),
                                    drawn(8 * C, B + 1, torch.int32), flags(8 * C, A * B, B, share=0.97),
                                    flags(8 * C, A * B)))
def _(x4, p7, x8, x9, x10):
    s = x4.sum(1).to(f16)
    finite = torch.isfinite(2 * x4.repeat_interleave(8, 1) + s[:, None].float()).T
    tail = (x9 | (count(x9.shape[2], x8) < x8[:, None])[:, None]).all(2)
    return p7 + torch.where(finite, ~tail, x10.roll(-1, 0)).int()


@case("drawn_439", lambda A, B: (rn(5 * B, dtype=f32), A * B), tol=1e-3)
def _(x0, n):
    v = (torch.atan2(x0 ** 2, x0).to(f16).float() * torch.sign(x0) + 0.5) ** 3
    return v.expand(n, -1).contiguous()
