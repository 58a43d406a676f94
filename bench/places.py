"""Values that go where data say: segments, keys, messages along edges, tokens to experts, at sizes that are usual for
these. As suite.py: a case is the inputs of places/NAME.td, of the dimensions by name, and the PyTorch expression of its
answer. Numbers beside the inputs are dimensions that no input has.
"""
import functools
import torch
import torch.nn.functional as F
import suite
from suite import rn, drawn, zipf, f32
from wide import offsets

CASES = {}
case = functools.partial(suite.case, into=CASES)


@case("embedding_bwd_narrow", lambda T, D, V: (rn(T, D), drawn(T, V), V))
def table_gradient(g, ids, V):
    return torch.ops.aten.embedding_dense_backward(g, ids, V, -1, False)


case("embedding_bwd_narrow.zipf", lambda T, D, V: (rn(T, D), zipf(T, V), V))(table_gradient)


def sum_by(x, key, n):
    return torch.zeros(n, *x.shape[1:], dtype=x.dtype, device=x.device).index_add(0, key.long(), x)


def segments(S, T):
    """Where ascending ranges begin, and in which of them each of T positions is."""
    off = offsets(S, T)
    return off, torch.arange(S, device=suite.DEVICE, dtype=torch.int32).repeat_interleave(off.diff(), output_size=T)


@case("messages", lambda E, D, V: (rn(E, D, dtype=f32), drawn(E, V), V), tol=1e-5)
def _(x, dst, V):
    return sum_by(x, dst, V)


@case("segment_mean_offsets", lambda T, D, S: (rn(T, D, dtype=f32), offsets(S, T)), tol=1e-5)
def _(x, off):
    n = off.diff()
    s = torch.arange(len(n), device=x.device).repeat_interleave(n, output_size=len(x))
    return sum_by(x, s, len(n)) / n.clamp(min=1)[:, None]


def softmax_by(x, key, S):
    key = key.long()
    m = torch.full((S,), float("-inf"), dtype=x.dtype, device=x.device).scatter_reduce(0, key, x, "amax")
    e = torch.exp(x - m[key])
    z = sum_by(e, key, S)
    return e / z[key], z


@case("segment_softmax", lambda T, S: (rn(T, dtype=f32), *segments(S, T)), tol=1e-5)
def _(x, off, seg):
    return softmax_by(x, seg, len(off) - 1)[0]


@case("sorted_softmax", lambda T, S: (rn(T, dtype=f32), drawn(T, S, torch.int32).sort().values, S), tol=1e-5)
def _(x, key, S):
    return softmax_by(x, key, S)


@case("key_softmax", lambda T, S: (rn(T, dtype=f32), drawn(T, S, torch.int32), S), tol=1e-5)
def _(x, key, S):
    return softmax_by(x, key, S)


@case("top1_dispatch", lambda T, D, N, C: (rn(T, D), rn(T, N, dtype=f32), C))
def _(x, g, C):
    N, e = g.shape[1], g.argmax(1)
    p = F.one_hot(e, N).cumsum(0).gather(1, e[:, None])[:, 0] - 1
    y = torch.zeros(N * C + 1, x.shape[1], dtype=x.dtype, device=x.device)
    y[torch.where(p < C, e * C + p, N * C)] = x
    return y[:-1].view(N, C, -1), e.int(), p.int()
