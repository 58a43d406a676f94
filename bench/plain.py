"""Programs as users write them, of all fields, by people who had not seen how they are compiled: nothing was tuned for
them when they were measured first, and what was found then is mended in what they have in common.

As suite.py: a case is the inputs of plain/NAME.td, of the dimensions by name, and the PyTorch expression of its answer.
Programs of the folder that have none are for predict.py alone.
"""
import functools
import math
import torch
import torch.nn.functional as F
import suite
from suite import rn, drawn, f16, f32
from wide import B, uniform, flags, offsets

CASES = {}
case = functools.partial(suite.case, into=CASES)


def count(n, x):
    return torch.arange(n, device=x.device)


def numbers(*shape, low=0, high=256, dtype=torch.uint8):
    return torch.randint(low, high, shape, device=suite.DEVICE, dtype=dtype)


# ---------------------------------------------------------------- norms


@case("qk_norm_bwd", lambda B, S, H, D: (rn(B, S, H, D), rn(B, S, H, D), uniform(B, S, H, low=0.5, high=2),
                                         rn(D, dtype=f32)))
def _(dy, x, inv, w):
    d, n = dy.float(), x.float() * inv[..., None]
    g = d * w
    dx = inv[..., None] * (g - n * (g * n).mean(-1, keepdim=True))
    return dx.to(x.dtype), (d * n).sum((0, 1, 2))


@case("tanh_norm_bwd", lambda M, N: (rn(M, N), rn(M, N), uniform(1, low=0.5).view(()), rn(N, dtype=f32)))
def _(dy, x, a, w):
    d, h = dy.float(), x.float()
    t = torch.tanh(a * h)
    g = d * w * (1 - t * t)
    return (a * g).to(x.dtype), (g * h).sum(), (d * t).sum(0), d.sum(0)


# --------------------------------------------------------------- caches, positions


@case("quantised_append",
      lambda P, T, H, D: (drawn(2 * P * 16 * H * D, 255, torch.uint8).view(torch.int8).view(2, P, 16, H, D),
                          uniform(2, P, 16, H, high=0.01), rn(2, T, H, D),
                          torch.randperm(16 * P, device=suite.DEVICE)[:T].int()),
      bytes_=lambda q, s, kv, slot: 2 * kv.numel() + kv.numel() + 4 * kv[..., 0].numel() + 4 * slot.numel())
def _(q, s, kv, slot):
    h = kv.float()
    scale = (h.abs().amax(-1) / 127).clamp(min=1e-8)
    new = (h / scale[..., None]).round().to(torch.int8)
    at = slot.long()
    return (q.flatten(1, 2).index_copy(1, at, new).view_as(q),
            s.flatten(1, 2).index_copy(1, at, scale.to(s.dtype)).view_as(s))


@case("mrope_sections", lambda B, S, H: (rn(B, S, H, 128), drawn(3 * B * S, 20, torch.int32).view(3, B, S),
                                         uniform(64)))
def _(x, pos, freq):
    a = pos.float()[..., None] * freq
    a = torch.cat([a[0, ..., :16], a[1, ..., 16:40], a[2, ..., 40:]], -1)[:, :, None]
    c, s = a.cos(), a.sin()
    x1, x2 = x.float().chunk(2, -1)
    return torch.cat([x1 * c - x2 * s, x2 * c + x1 * s], -1).to(x.dtype)


# ------------------------------------------------------------------------ logits


@case("penalised_softmax", lambda B, V: (rn(B, V, dtype=f16), drawn(B * V, 4, torch.int32).view(B, V), rn(V, dtype=f32),
                                         uniform(B, low=0.5, high=1.5)), tol=1e-3)
def _(x, count, bias, temperature):
    z = 30 * torch.tanh(x.float() / 30)
    r = torch.where(z > 0, z / 1.3, z * 1.3) - 0.2 * count - 0.5
    z = torch.where(count == 0, z, r)
    return torch.softmax((z + bias) / temperature[:, None], -1)


@case("min_p_filter", lambda B, V: (rn(B, V), uniform(B, low=0.5, high=1.5), uniform(B, low=0.02, high=0.2)), tol=1e-3)
def _(x, temperature, least):
    p = torch.softmax(x.float() / temperature[:, None], -1)
    keep = p >= least[:, None] * p.amax(-1, keepdim=True)
    q = torch.where(keep, p, 0)
    return q / q.sum(-1, keepdim=True), keep.sum(-1, dtype=torch.int32)


@case("nucleus_rows", lambda B, V: (torch.softmax(3 * rn(B, V, dtype=f32), -1).sort(-1, descending=True).values,
                                    torch.rand(B, V, device=suite.DEVICE).argsort(-1).int(),
                                    uniform(B, low=0.5, high=0.95)), tol=1e-3)
def _(p, ids, share):
    before = p.cumsum(-1) - p
    q = torch.where(before < share[:, None], p, 0)
    return torch.zeros_like(p).scatter(-1, ids.long(), q / q.sum(-1, keepdim=True))


@case("document_mask", lambda B, S, window: (drawn(B * S, 3, torch.int32).view(B, S), drawn(B, 500, torch.int32),
                                             window))
def _(doc, prefix, window):
    i = count(doc.shape[1], doc)
    past = (i <= i[:, None]) & (i[:, None] - i < window)
    seen = (doc[:, :, None] == doc[:, None]) & ((i < prefix[:, None])[:, None] | past)
    return torch.zeros(seen.shape, dtype=torch.bfloat16, device=doc.device).masked_fill(~seen, -torch.inf)


@case("masked_softmax_bwd", lambda B, H, S: (rn(B, H, S, S), uniform(B, H, S, S, dtype=torch.bfloat16)))
def _(dp, p):
    mask = torch.ones(p.shape[-2:], dtype=torch.bool, device=p.device).tril()
    d, q = dp.float(), torch.where(mask, p.float(), 0)
    g = q * (d - (d * q).sum(-1, keepdim=True))
    return (0.125 * g).to(p.dtype), g.sum(0)


# ------------------------------------------------------------------------ losses


@case("capped_xent_bwd", lambda M, V: (rn(M, V), drawn(M, V + 1) - 1))
def _(x, t):
    z = 30 * torch.tanh(x.float() / 30)
    l = torch.logsumexp(z, -1)
    at, counts = t.clamp(min=0)[:, None], t >= 0
    n = counts.sum().clamp(min=1)
    loss = torch.where(counts, l - z.gather(-1, at)[:, 0] + 1e-4 * l * l, 0).sum() / n
    dz = torch.exp(z - l[:, None]) * (1 + 2e-4 * l[:, None]) - (count(x.shape[1], x) == at).float()
    dx = torch.where(counts[:, None], dz * (1 - (z / 30) ** 2) / n, 0)
    return loss, dx.to(x.dtype)


@case("grpo_loss", lambda B, T: (rn(B, T, dtype=f32, scale=0.2), rn(B, T, dtype=f32, scale=0.2),
                                 rn(B, T, dtype=f32, scale=0.2), rn(B, dtype=f32), flags(B, T)), tol=1e-3)
def _(lp, old, ref, adv, mask):
    n = mask.sum(-1, keepdim=True).clamp(min=1)
    r, a = torch.exp(lp - old), adv[:, None]
    free, held = r * a, r.clamp(0.8, 1.2) * a
    k = torch.exp(ref - lp)
    e = 0.04 * (k - (ref - lp) - 1) - torch.minimum(free, held)
    loss = (torch.where(mask, e, 0) / n).sum(-1).mean()
    grad = 0.04 * (1 - k) - torch.where(free <= held, free, 0)
    grad = torch.where(mask, grad / n / len(lp), 0)
    return loss, grad, ((held < free) & mask).sum() / mask.sum()


@case("clip_pairs", lambda N, scale: (uniform(N, N, low=-1, dtype=torch.bfloat16), scale))
def _(s, scale):
    z = scale * s.float()
    r, c = torch.logsumexp(z, 1), torch.logsumexp(z, 0)
    n = len(z)
    loss = 0.5 * (r + c - 2 * z.diagonal()).mean()
    eye = torch.eye(n, dtype=z.dtype, device=z.device)
    ds = (torch.exp(z - r[:, None]) + torch.exp(z - c) - 2 * eye) * (scale / (2 * n))
    return loss, ds.to(s.dtype)


@case("focal_classes", lambda M, C: (rn(M, C, dtype=f32), drawn(M, C + 1, torch.int32) - 1, uniform(C)), tol=1e-3)
def _(x, t, alpha):
    at = t.clamp(min=0).long()
    q = torch.log_softmax(x, -1).gather(-1, at[:, None])[:, 0]
    loss = torch.where(t >= 0, -alpha[at] * (1 - q.exp()) ** 2 * q, 0)
    return loss, (x.argmax(-1) == t).sum(dtype=torch.int32)


# ------------------------------------------------------------------ quantisation


@case("dequant_int4", lambda G, N: (drawn(128 * G * N, 256, torch.uint8).view(128 * G, N),
                                    rn(G, 2 * N, dtype=f16, scale=0.01),
                                    drawn(G * 2 * N, 16, torch.uint8).view(G, 2 * N)))
def _(q, s, z):
    n = torch.stack([q & 15, q >> 4], -1).view(len(s), 128, -1)
    w = (n.int() - z[:, None].int()).float() * s[:, None].float()
    return w.view(len(q), -1).to(s.dtype)


@case("quant_int4", lambda M, G: (rn(M, 32 * G),))
def _(x):
    h = x.float().view(len(x), -1, 32)
    lo, hi = h.aminmax(dim=-1, keepdim=True)
    s = ((hi - lo) / 15).clamp(min=1e-6)
    z = (-lo / s).round().clamp(0, 15)
    n = ((h / s).round() + z).clamp(0, 15).to(torch.uint8).view(len(x), -1, 2)
    return n[..., 0] | n[..., 1] << 4, s[..., 0].to(f16), z[..., 0].to(torch.uint8)


@case("outlier_quantise", lambda M, N, limit: (rn(M, N, dtype=f16), limit))
def _(x, limit):
    h = x.float()
    outlier = (h.abs() > limit).any(0)
    h = torch.where(outlier, 0, h)
    scale = (h.abs().amax(-1) / 127).clamp(min=1e-8)
    return (h / scale[:, None]).round().to(torch.int8), scale, outlier


# ----------------------------------------------------------------------- experts


@case("expert_places", lambda T, E: (drawn(T, E, torch.int32), E), tol=0)
def _(ids, e):
    hot = (ids[:, None] == count(e, ids)).int()
    c = hot.cumsum(0, dtype=torch.int32)
    n = hot.sum(0, dtype=torch.int32)
    start = n.cumsum(0, dtype=torch.int32) - n
    at = ids.long()
    return start[at] + c.gather(1, at[:, None])[:, 0] - 1, start


@case("combine_experts", lambda R, T, D: (rn(R, D), drawn(T * 4, R + 1, torch.int32).view(T, 4) - 1, uniform(T, 4),
                                          rn(T, D)))
def _(x, slot, w, r):
    w = torch.where(slot >= 0, w, 0)
    return (r.float() + (w[..., None] * x[slot.clamp(min=0)].float()).sum(1)).to(r.dtype)


@case("router_losses", lambda T, E: (rn(T, E, dtype=f32),), tol=1e-3)
def _(x):
    e = x.shape[1]
    p = torch.softmax(x, -1)
    share = (x.argmax(-1)[:, None] == count(e, x)).float().mean(0)
    return e * (share * p.mean(0)).sum(), torch.logsumexp(x, -1).square().mean(), share


@case("clipped_glu_bwd", lambda T, N, E: (rn(T, N), rn(T, 2 * N, scale=4.0), drawn(T, E, torch.int32),
                                          rn(E, 2 * N, dtype=f32)))
def _(dy, x, e, b):
    at = e.long()
    g, u = (x.float() + b[at]).unflatten(-1, (-1, 2)).unbind(-1)
    gate, up, d = g.clamp(max=7), u.clamp(-7, 7), dy.float()
    s = torch.sigmoid(1.702 * gate)
    dg = torch.where(g <= 7, d * (up + 1) * s * (1 + 1.702 * gate * (1 - s)), 0)
    du = torch.where(u.abs() <= 7, d * gate * s, 0)
    dx = torch.stack([dg, du], -1).flatten(-2).to(x.dtype)
    return dx, torch.zeros_like(b).index_add(0, at, dx.to(b.dtype))


# ------------------------------------------------------------ tables, weights, steps


@case("shard_embedding", lambda V, D, B, S, first: (drawn(V * D, 255, torch.uint8).view(torch.int8).view(V, D),
                                                    uniform(V, high=0.01, dtype=f16), drawn(B * S, 4 * V).view(B, S),
                                                    first),
      bytes_=lambda w, s, ids, first: 8 * ids.numel() + 2 * ids.numel() * w.shape[1] + ids.numel() // 4 * w.shape[1])
def _(w, s, ids, first):
    k = ids - first
    mine = (k >= 0) & (k < len(w))
    at = torch.where(mine, k, 0)
    y = w[at].float() * s[at].float()[..., None] * w.shape[1] ** 0.5
    return torch.where(mine[..., None], y, 0).to(torch.bfloat16)


@case("adafactor_step", lambda M, N: (rn(M, N, dtype=f32), uniform(M, low=0.1), uniform(N, low=0.1), rn(M, N)),
      tol=1e-4)
def _(p, vr, vc, g):
    h = g.float()
    q = h * h + 1e-30
    vr, vc = 0.999 * vr + 0.001 * q.mean(1), 0.999 * vc + 0.001 * q.mean(0)
    u = h * torch.rsqrt(vr / vr.mean())[:, None] * torch.rsqrt(vc)
    return p - 0.01 * u / u.square().mean().sqrt().clamp(min=1), vr, vc


@case("clip_three", lambda M, N, K: (rn(M, N), rn(N, dtype=f32), rn(N, K)))
def _(g1, g2, g3):
    a, b, c = g1.float(), g2.float(), g3.float()
    norm = torch.sqrt((a * a).sum() + (b * b).sum() + (c * c).sum())
    r = (1 / (norm + 1e-6)).clamp(max=1)
    return (a * r).to(g1.dtype), b * r, (c * r).to(g3.dtype), norm


@case("dora_columns", lambda O, I, alpha: (rn(O, I), rn(O, I, dtype=f32), rn(I, dtype=f32), alpha))
def _(w, delta, m, alpha):
    v = w.float() + alpha * delta
    norm = v.square().sum(0).sqrt()
    return (m * v / norm).to(w.dtype), norm


# ------------------------------------------------------------------------- norms


@case("bn_grad_last", lambda N, H, W, C: (rn(N, H, W, C, dtype=f16), rn(N, H, W, C, dtype=f16), rn(C, dtype=f32),
                                          uniform(C, low=0.5, high=2), rn(C, dtype=f32)))
def _(dy, x, mu, inv, g):
    d, h = dy.float(), (x.float() - mu) * inv
    a, b = d.mean((0, 1, 2)), (d * h).mean((0, 1, 2))
    return (g * inv * (d - a - h * b)).to(f16), (d * h).sum((0, 1, 2)), d.sum((0, 1, 2))


@case("instance_norm_leaky", lambda N, C, H, W: (rn(N, C, H, W), rn(C, dtype=f32), rn(C, dtype=f32)))
def _(x, g, b):
    z = F.instance_norm(x.float(), weight=g.float(), bias=b.float())
    return F.leaky_relu(z, 0.2).to(B)


@case("layer_norm_planes", lambda N, C, H, W: (rn(N, C, H, W, dtype=f16), rn(C, dtype=f16), rn(C, dtype=f16)))
def _(x, g, b):
    h = x.float()
    va, mu = torch.var_mean(h, (1,), correction=0, keepdim=True)
    return ((h - mu) * torch.rsqrt(va + 1e-6) * g.float()[:, None, None] + b.float()[:, None, None]).to(f16)


@case("response_norm", lambda N, C, H, W: (rn(N, C, H, W, dtype=f32),), tol=1e-4)
def _(x):
    return F.local_response_norm(x, 5, alpha=1e-4, beta=0.75, k=2.0)


# --------------------------------------------------------- pools, resizing, layouts


@case("max_pool_grad", lambda N, C, P, Q: (
    rn(N, C, P, Q, dtype=f16),
    F.max_pool2d(rn(N, C, 2 * P, 2 * Q, dtype=f32), 3, 2, 1, return_indices=True)[1]))
def _(dy, at):
    n, c, p, q = dy.shape
    dx = torch.zeros(n, c, 4 * p * q, dtype=f32, device=dy.device)
    return dx.scatter_add(2, at.flatten(2), dy.flatten(2).float()).to(f16)


@case("temporal_shift", lambda B, T, C, H, W: (rn(B, T, 8 * C, H, W),), tol=1e-6)
def _(x):
    c = x.shape[2] // 8
    after = F.pad(x[:, 1:, :c], (0, 0, 0, 0, 0, 0, 0, 1))
    before = F.pad(x[:, :-1, c:2 * c], (0, 0, 0, 0, 0, 0, 1, 0))
    return torch.cat([after, before, x[:, :, 2 * c:]], 2)


@case("bilinear2x_grad", lambda N, C, H, W: (rn(N, C, 2 * H, 2 * W, dtype=f32),), tol=1e-4)
def _(dy):
    n, c, h, w = dy.shape
    return torch.ops.aten.upsample_bilinear2d_backward(dy, [h, w], [n, c, h // 2, w // 2], False)


@case("sub_pixel_prelu", lambda N, C, H, W: (rn(N, 4 * C, H, W, dtype=f16), rn(4 * C, dtype=f16), rn(C, dtype=f16)))
def _(x, b, a):
    return F.prelu(F.pixel_shuffle(x.float() + b.float()[:, None, None], 2), a.float()).to(f16)


@case("crop_flip", lambda N, H, W, P, Q: (numbers(N, H, W, 3), numbers(N, high=H - P + 1, dtype=torch.int32),
                                          numbers(N, high=W - Q + 1, dtype=torch.int32), flags(N, share=0.5),
                                          uniform(3), uniform(3, low=0.2, high=0.3), P, Q))
def _(x, top, left, flip, m, d, p, q):
    j = torch.arange(q, device=x.device)
    i = top[:, None].long() + torch.arange(p, device=x.device)
    j = left[:, None].long() + torch.where(flip[:, None], q - 1 - j, j)
    y = x[torch.arange(len(x), device=x.device)[:, None, None], i[:, :, None], j[:, None, :]]
    return ((y.float() / 255 - m) / d).permute(0, 3, 1, 2).to(f16).contiguous()


# ----------------------------------------------------------------- filters, windows


@case("conformer_conv", lambda N, L, C: (rn(N, L, 2 * C), rn(31, C, scale=0.2), rn(C)))
def _(x, w, b):
    g = F.glu(x, -1)
    y = F.conv1d(g.transpose(1, 2), w.t()[:, None], b, padding=15, groups=len(b))
    return F.silu(y).transpose(1, 2).contiguous()


@case("depthwise_weight_grad", lambda N, H, W, C: (rn(N, H, W, C, dtype=f16), rn(N, H, W, C, dtype=f16)), tol=1e-3)
def _(x, dy):
    _, h, w, c = x.shape
    p, d = F.pad(x, (0, 0, 1, 1, 1, 1)).float(), dy.float()
    taps = [(p[:, r:r + h, s:s + w] * d).sum((0, 1, 2)) for r in range(3) for s in range(3)]
    return torch.stack(taps).view(3, 3, c)


@case("morph_gradient", lambda N, H, W: (numbers(N, H, W),), tol=0)
def _(x):
    h = x.float()
    return (F.max_pool2d(h, 5, 1, 2) + F.max_pool2d(-h, 5, 1, 2)).to(torch.uint8)


@case("ssim_windows", lambda N, H, W: (uniform(N, H, W), uniform(N, H, W)), tol=1e-3)
def _(x, y):
    def window(t):
        return F.avg_pool2d(t, 7, 1)
    mx, my = window(x), window(y)
    xx, yy, xy = window(x * x) - mx * mx, window(y * y) - my * my, window(x * y) - mx * my
    s = (2 * mx * my + 1e-4) * (2 * xy + 9e-4) / ((mx * mx + my * my + 1e-4) * (xx + yy + 9e-4))
    return s.mean((1, 2))


@case("total_variation", lambda N, C, H, W: (rn(N, C, H, W, dtype=f32),), tol=1e-4)
def _(x):
    dh, dw = x.diff(dim=2), x.diff(dim=3)
    loss = dh.abs().sum((1, 2, 3)) + dw.abs().sum((1, 2, 3))
    sh, sw = torch.sign(dh), torch.sign(dw)
    g = F.pad(sh, (0, 0, 1, 0)) - F.pad(sh, (0, 0, 0, 1)) + F.pad(sw, (1, 0)) - F.pad(sw, (0, 1))
    return loss, g


# ------------------------------------------------------------------------- audio


@case("speech_frames", lambda B, T: (rn(B, T, dtype=f32), uniform(400)), tol=1e-4)
def _(x, w):
    s = x.unfold(1, 400, 160)
    d = s - s.mean(-1, keepdim=True)
    y = (d - 0.97 * torch.cat([d[..., :1], d[..., :-1]], -1)) * w
    return y, torch.log(d.pow(2).sum(-1).clamp(min=1e-10))


@case("overlap_add", lambda B, F, S: (rn(B, F, 4 * S, dtype=f32), uniform(4 * S, low=0.1)), tol=1e-4)
def _(z, w):
    f, k = z.shape[1:]
    s = k // 4

    def fold(t):
        return F.fold(t.transpose(1, 2), (1, (f + 3) * s), (1, k), stride=(1, s))[:, 0, 0]
    return fold(z * w) / fold((w * w).expand(1, f, -1)).clamp(min=1e-8)


@case("mel_bands", lambda B, F, T, M, K: (uniform(B, F, T), numbers(M, high=F - K + 1, dtype=torch.int32),
                                          uniform(M, K)), tol=1e-4)
def _(p, lo, w):
    at = lo[:, None].long() + torch.arange(w.shape[1], device=p.device)
    return torch.log((p[:, at] * w[..., None]).sum(2).clamp(min=1e-10))


@case("amplitude_to_db", lambda B, F, T: (uniform(B, F, T),), tol=1e-4)
def _(x):
    d = 20 * torch.log10(x.clamp(min=1e-5))
    return torch.maximum(d, d.amax((1, 2), keepdim=True) - 80)


@case("peak_normalise", lambda B, T: (numbers(B, T, 2, low=-32768, high=32768, dtype=torch.int16),), tol=1e-4)
def _(x):
    m = x.float().sum(-1) / 65536
    peak = m.abs().amax(-1)
    return m * (0.95 / peak.clamp(min=1e-6))[:, None], peak


# ------------------------------------------------------------------------- images


@case("nv12_from_rgb", lambda N, P, Q: (numbers(N, 2 * P, 2 * Q, 3),), tol=0)
def _(x):
    n, h, w, _ = x.shape
    r, g, b = x.int().unbind(-1)
    y = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16
    r, g, b = ((x.int().view(n, h // 2, 2, w // 2, 2, 3).sum((2, 4), dtype=torch.int32) + 2) >> 2).unbind(-1)
    u = ((112 * b - 38 * r - 74 * g + 128) >> 8) + 128
    v = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128
    return y.to(torch.uint8), torch.stack([u, v], -1).to(torch.uint8)


@case("equalise_histogram", lambda N, L: (numbers(N, L),), tol=0)
def _(x):
    n, l = x.shape
    at = x.long()
    h = torch.zeros(n, 256, dtype=torch.int32, device=x.device)
    h = h.scatter_add(1, at, torch.ones_like(at, dtype=torch.int32))
    cdf = h.cumsum(1)
    first = torch.where(cdf > 0, cdf, l).amin(1, keepdim=True)
    rest = (l - first).clamp(min=1)
    lut = ((cdf - first).clamp(min=0) * 255 + rest // 2) // rest
    return lut.to(torch.uint8).gather(1, at), h


@case("soft_dice", lambda N, C, H, W: (rn(N, C, H, W, dtype=f16), numbers(N, H, W, high=C)), tol=1e-3)
def _(x, t):
    p = torch.softmax(x.float(), 1)
    own = t[:, None] == torch.arange(p.shape[1], device=x.device)[:, None, None]
    both, size, count = (p * own).sum((0, 2, 3)), p.sum((0, 2, 3)), own.sum((0, 2, 3))
    dice = (2 * both + 1) / (size + count + 1)
    return 1 - dice.mean(), dice


@case("warp_flow", lambda N, C, H, W: (rn(N, C, H, W, dtype=f16), rn(N, 2, H, W, dtype=f32, scale=3)))
def _(x, flow):
    n, c, h, w = x.shape
    i, j = torch.arange(h, device=x.device), torch.arange(w, device=x.device)
    u, v = (j + flow[:, 0]).clamp(0, w - 1), (i[:, None] + flow[:, 1]).clamp(0, h - 1)
    j0, i0 = u.long(), v.long()
    j1, i1 = (j0 + 1).clamp(max=w - 1), (i0 + 1).clamp(max=h - 1)
    a, b = (u - j0)[:, None], (v - i0)[:, None]

    def at(i, j):
        return x.flatten(2).gather(2, (i * w + j).view(n, 1, -1).expand(-1, c, -1)).view(n, c, h, w).float()
    return ((1 - b) * ((1 - a) * at(i0, j0) + a * at(i0, j1)) + b * ((1 - a) * at(i1, j0) + a * at(i1, j1))).to(f16)


@case("squeeze_excite", lambda N, H, W, C, R: (rn(N, H, W, C), rn(R, C, scale=0.1), rn(R), rn(C, R, scale=0.3), rn(C)))
def _(x, w1, b1, w2, b2):
    s = x.float().mean((1, 2))
    h = F.silu(s @ w1.float().T + b1.float())
    g = torch.sigmoid(h @ w2.float().T + b2.float())
    return (x.float() * g[:, None, None]).to(B)


# ---------------------------------------------------------- series and finance


@case("rolling_zscore", lambda M, N: (rn(M, N, dtype=f32),), tol=1e-3)
def _(x):
    w = x.unfold(1, 20, 1)
    va, mu = torch.var_mean(w, -1, correction=0)
    return (x[:, 19:] - mu) / torch.sqrt(va + 1e-6)


@case("vwap_middle", lambda B, T, C: (uniform(B, T, C, low=1, high=100),
                                      drawn(B * T * C, 1000, torch.int32).view(B, T, C)), tol=1e-4)
def _(p, vol):
    return (p * vol).cumsum(1) / vol.cumsum(1).clamp(min=1)


@case("asian_call", lambda T, P, strike: (rn(T, P, dtype=f32), strike), tol=1e-3)
def _(z, strike):
    dt = 1 / 252
    walk = ((0.03 - 0.5 * 0.2 ** 2) * dt + 0.2 * dt ** 0.5 * z).cumsum(0)
    average = (100 * torch.exp(walk)).mean(0)
    pay = math.exp(-0.03 * len(z) * dt) * (average - strike).clamp(min=0)
    return pay, pay.mean()


@case("row_quantiles", lambda M, N: (rn(M, N, dtype=f32),), tol=1e-4)
def _(x):
    at = torch.tensor([0.05, 0.25, 0.5, 0.75, 0.95], dtype=x.dtype, device=x.device)
    return torch.quantile(x, at, 1).T.contiguous()


# ----------------------------------------------------------------------- data


@case("kmeans_assign", lambda N, D, K: (rn(N, D, dtype=f32), rn(K, D, dtype=f32)), tol=1e-3)
def _(x, c):
    d = (x[:, None] - c).pow(2).sum(-1)
    return d.argmin(1).int(), d.amin(1).sqrt()


@case("histogram2d", lambda N, G: (uniform(N, 2), G), tol=1e-4)
def _(p, g):
    at = (p * g).long().clamp(0, g - 1)
    return torch.bincount(at[:, 0] * g + at[:, 1], minlength=g * g).view(g, g).int()


@case("group_stats", lambda N, G: (drawn(N, G, torch.int32), rn(N, dtype=f32), G), tol=1e-4)
def _(key, x, g):
    at = key.long()
    n = torch.bincount(at, minlength=g)
    mu = x.new_zeros(g).index_add(0, at, x) / n.clamp(min=1)
    lo = x.new_full((g,), torch.inf).scatter_reduce(0, at, x, "amin")
    hi = x.new_full((g,), -torch.inf).scatter_reduce(0, at, x, "amax")
    return n.int(), mu, lo, hi


@case("covariance_six", lambda M: (rn(M, 6, dtype=f32),), tol=1e-3)
def _(x):
    mu = x.mean(0)
    d = x - mu
    return mu, d.T @ d / (len(x) - 1)


@case("pair_correlation", lambda N, D, P: (drawn(N * D, 3, torch.int8).view(N, D),
                                           drawn(P * 2, N, torch.int32).view(P, 2)), tol=1e-3)
def _(x, p):
    h = x.float()
    d = h - h.mean(-1, keepdim=True)
    size = d.norm(dim=-1)
    i, j = p.unbind(1)
    return (d[i] * d[j]).sum(-1) / (size[i] * size[j]).clamp(min=1e-12)


@case("arg_range", lambda B, T, C: (rn(B, T, C),), tol=1e-4)
def _(x):
    h = x.float()
    return h.argmax(1).int(), h.argmin(1).int(), h.amax(1) - h.amin(1)


@case("lse_odd_axes", lambda A, B, C, D, E: (rn(A, B, C, D, E, dtype=f16),), tol=1e-4)
def _(x):
    return torch.logsumexp(x.float(), (1, 3))


@case("table_interp", lambda N, T: (uniform(N), rn(T, dtype=f32)), tol=1e-3)
def _(x, t):
    p = x * (len(t) - 1)
    i = p.floor().long().clamp(1, len(t) - 3)
    f = p - i
    a, b, c, d = t[i - 1], t[i], t[i + 1], t[i + 2]
    return b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)))


@case("pack_signs", lambda M, N: (rn(M, 8 * N, dtype=f16),), tol=1e-3)
def _(x):
    on = (x > 0).view(len(x), -1, 8).to(torch.uint8)
    bits = (on << torch.arange(8, dtype=torch.uint8, device=x.device)).sum(-1).to(torch.uint8)
    return bits, x.float().abs().mean(-1)


# -------------------------------------------------------------------- science


@case("poisson_sweep", lambda D, H, W: (rn(D, H, W, dtype=f32), rn(D, H, W, dtype=f32)), tol=1e-4)
def _(u, f):
    y = u.clone()
    m = slice(1, -1)
    y[m, m, m] = (u[:-2, m, m] + u[2:, m, m] + u[m, :-2, m] + u[m, 2:, m] + u[m, m, :-2] + u[m, m, 2:] - f[m, m, m]) / 6
    return y, (y - u).abs().max()


@case("particle_walls", lambda N, dt: (uniform(N, 3), rn(N, 3, dtype=f32), rn(N, 3, dtype=f32),
                                       uniform(N, low=0.5, high=2), dt), tol=1e-2)
def _(pos, vel, force, mass, dt):
    w = vel + dt * force / mass[:, None]
    q = pos + dt * w
    p = torch.where(q < 0, -q, torch.where(q > 1, 2 - q, q))
    v = torch.where((q < 0) | (q > 1), -w, w)
    return p, v, 0.5 * (mass[:, None] * w ** 2).sum()


@case("lattice_boltzmann", lambda H, W, omega: (uniform(9, H, W, low=0.05, high=0.2), omega), tol=1e-4)
def _(f, omega):
    c = [(q % 3 - 1, q // 3 - 1) for q in range(9)]
    g = torch.stack([f[q].roll((y, x), (0, 1)) for q, (x, y) in enumerate(c)])
    cx, cy = torch.tensor(c, dtype=f.dtype, device=f.device).T[:, :, None, None]
    rho = g.sum(0)
    u, v = (cx * g).sum(0) / rho, (cy * g).sum(0) / rho
    cu = cx * u + cy * v
    w = torch.where(cx == 0, 2 / 3, 1 / 6) * torch.where(cy == 0, 2 / 3, 1 / 6)
    eq = w * rho * (1 + 3 * cu + 4.5 * cu ** 2 - 1.5 * (u ** 2 + v ** 2))
    return g + omega * (eq - g)


@case("phase_correlation", lambda B, H, W: (rn(B, H, W, 2, dtype=f32), rn(B, H, W, 2, dtype=f32)), tol=1e-4)
def _(a, b):
    (ar, ai), (br, bi) = a.unbind(-1), b.unbind(-1)
    re, im = ar * br + ai * bi, ai * br - ar * bi
    size = torch.sqrt(re ** 2 + im ** 2).clamp(min=1e-12)
    return torch.stack([re / size, im / size], -1)


@case("traceless", lambda B, N: (rn(B, N, N, dtype=f32),), tol=1e-4)
def _(x):
    n = x.shape[-1]
    tr = x.diagonal(dim1=1, dim2=2).sum(-1)
    eye = torch.eye(n, dtype=x.dtype, device=x.device)
    return 0.5 * (x + x.mT) - eye * (tr / n)[:, None, None], tr


@case("retention_rows", lambda B, H, L: (rn(B, H, L, L, dtype=f16), uniform(H, low=0.9, high=1)))
def _(s, decay):
    i = torch.arange(s.shape[-1], device=s.device)
    far = i[:, None] - i
    d = (s.float() * decay[:, None, None] ** far.clamp(min=0)).masked_fill(far < 0, 0)
    return (d / d.sum(-1, keepdim=True).abs().clamp(min=1)).to(s.dtype)


# ------------------------------------------------------ graphs, recommendation


@case("spmv_csr", lambda E, N, V: (rn(E, dtype=f32), drawn(E, V, torch.int32), offsets(N, E), rn(V, dtype=f32)),
      tol=1e-4)
def _(val, col, row, x):
    return torch.segment_reduce(val * x[col], "sum", offsets=row, axis=0, initial=0)


@case("gcn_step", lambda V, D, E: (rn(V, D, dtype=f16), drawn(E, V, torch.int32), drawn(E, V, torch.int32)), tol=1e-2)
def _(h, src, dst):
    inv = torch.bincount(dst, minlength=len(h)).clamp(min=1).float().rsqrt()
    f = h.float()
    y = torch.zeros_like(f).index_add(0, dst, f[src] * inv[src, None])
    return (y * inv[:, None]).to(h.dtype)


@case("bag_weighted", lambda V, D, L, B: (rn(V, D), drawn(L, V, torch.int32), rn(L), offsets(B, L).int()))
def _(table, ids, w, off):
    return F.embedding_bag(ids, table, off, mode="sum", per_sample_weights=w, include_last_offset=True)


@case("factorisation_machine", lambda B, F, V, K: (drawn(B * F, V, torch.int32).view(B, F), rn(V, dtype=f32, scale=0.1),
                                                   rn(V, K, dtype=f32, scale=0.1), rn(1, dtype=f32).view(())), tol=1e-3)
def _(ids, w, e, bias):
    v = e[ids]
    pairs = v.sum(1).pow(2) - v.pow(2).sum(1)
    return torch.sigmoid(bias + w[ids].sum(1) + 0.5 * pairs.sum(1))


@case("bpr_loss", lambda U, D, I, B: (rn(U, D, dtype=f16, scale=0.3), rn(I, D, dtype=f16, scale=0.3),
                                      drawn(B, U, torch.int32), drawn(B, I, torch.int32), drawn(B, I, torch.int32)),
      tol=1e-3)
def _(users, items, u, liked, other):
    margin = (users[u].float() * (items[liked].float() - items[other].float())).sum(-1)
    return margin, -F.logsigmoid(margin).mean()
