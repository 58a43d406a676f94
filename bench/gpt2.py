"""The kernels of a training step of GPT-2 124M (4 sequences of 1024 tokens, f32) that are no products of matrices, as
llm.c divides it (https://github.com/karpathy/llm.c, train_gpt2_fp32.cu).

As suite.py: a case is the inputs of gpt2/NAME.td, of the dimensions by name, and the PyTorch expression of its answer.
GOALS are microseconds on an H200 that a call should take within 1.15, lengths unsaid.
"""
import functools
import torch
import torch.nn.functional as F
import suite
from suite import rn, drawn, f32

CASES = {}
case = functools.partial(suite.case, into=CASES, tol=1e-4)
GOALS = dict(layernorm_forward=9, layernorm_backward=20, fused_classifier=500, encoder_forward=10, encoder_backward=60,
             residual_forward=12, gelu_forward=28, adamw_step=830)
rows = functools.partial(rn, dtype=f32)
PADDING = 47  # columns of logits behind those of the vocabulary


@case("encoder_forward", lambda B, T, P, V, C: (drawn(B * T, V, torch.int32).view(B, T), rows(V, C), rows(P, C)),
      bytes_=lambda inp, wte, wpe: 4 * (inp.numel() + 2 * inp.numel() * wte.shape[1] + inp.shape[1] * wte.shape[1]))
def _(inp, wte, wpe):
    return wte[inp.long()] + wpe[: inp.shape[1]]


@case("encoder_backward", lambda B, T, P, V, C: (rows(V, C), rows(P, C), rows(B, T, C), drawn(B * T, V, torch.int32).view(B, T)),
      bytes_=lambda wte, wpe, dout, inp: 4 * (inp.numel() + 3 * dout.numel() + 2 * wpe.numel()))
def _(dwte, dwpe, dout, inp):
    flat = dout.reshape(-1, dout.shape[-1])
    return dwte.index_add(0, inp.reshape(-1).long(), flat), dwpe + F.pad(dout.sum(0), (0, 0, 0, dwpe.shape[0] - dout.shape[1]))


@case("layernorm_forward", lambda B, T, C: (rows(B, T, C), rows(C), rows(C)))
def _(x, w, b):
    var, mean = torch.var_mean(x, -1, correction=0)
    return F.layer_norm(x, x.shape[-1:], w, b, 1e-5), mean, torch.rsqrt(var + 1e-5)


@case("layernorm_backward", lambda B, T, C: (rows(B, T, C), rows(C), rows(C), rows(B, T, C), rows(B, T, C), rows(C), rows(B, T),
                                             torch.rand(B, T, device=suite.DEVICE) + 0.5))
def _(dx, dw, db, dy, x, w, mean, rstd):
    xh = (x - mean[..., None]) * rstd[..., None]
    g = dy * w
    part = rstd[..., None] * (g - g.mean(-1, keepdim=True) - xh * (g * xh).mean(-1, keepdim=True))
    return dx + part, dw + (dy * xh).sum((0, 1)), db + dy.sum((0, 1))


@case("fused_classifier", lambda N, P, V: (rows(N, P), drawn(N, V, torch.int32)))
def _(x, t):
    V = x.shape[1] - PADDING
    p = torch.log_softmax(x[:, :V], -1)
    d = (torch.exp(p) - F.one_hot(t.long(), V)) / x.shape[0]
    return torch.cat([d, x[:, V:]], 1), -p.gather(1, t.long()[:, None])[:, 0]


@case("residual_forward", lambda N: (rows(N), rows(N)))
def _(a, b):
    return a + b


@case("gelu_forward", lambda N: (rows(N),))
def _(x):
    return F.gelu(x, approximate="tanh")


@case("adamw_step", lambda N: (rows(N), rows(N), rows(N).abs(), rows(N)))
def _(p, m, v, g):
    lr, b1, b2, eps, wd = 1e-3, 0.9, 0.999, 1e-8, 0.01
    mn, vn = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (mn / (1 - b1)) / (torch.sqrt(vn / (1 - b2)) + eps), mn, vn
