"""References of stdlib/conv.td: windows are taken out of the padded input one by one."""
import itertools
import numpy as np
from harness import case, ints

inf = np.inf


def windows(x, kernel, stride, padding, dilation, fill=0.0, out=None):
    """[..., *positions, *taps] of the last axes of x; `out` says how many positions, else as many as fit."""
    d = len(kernel)
    x = np.pad(x, [(0, 0)] * (x.ndim - d) + [(p, p + 99) for p in padding], constant_values=fill)
    n = out or [max((x.shape[i - d] - 99 - D * (k - 1) - 1) // s + 1, 0)
                for i, (k, s, D) in enumerate(zip(kernel, stride, dilation))]
    y = np.empty(x.shape[:-d] + tuple(n) + tuple(kernel))
    for tap in itertools.product(*map(range, kernel)):
        at = tuple(slice(t * D, t * D + s * m, s) for t, D, s, m in zip(tap, dilation, stride, n))
        y[(Ellipsis,) + (slice(None),) * d + tap] = x[(Ellipsis,) + at]
    return y


def conv(x, w, b, groups, stride, padding, dilation):
    d = w.ndim - 2
    t = windows(x, w.shape[2:], stride, padding, dilation)
    parts = [np.tensordot(a, f, ([1] + list(range(2 + d, 2 + 2 * d)), list(range(1, 2 + d))))
             for a, f in zip(np.split(t, groups, 1), np.split(w, groups))]
    return np.moveaxis(np.concatenate(parts, -1), -1, 1) + b.reshape((-1,) + (1,) * d)


def transposed(x, w, b, groups, stride, padding, output_padding, dilation):
    """Each element of x puts its share of the filter in place."""
    d = w.ndim - 2
    k = w.shape[1]
    full = [max((n - 1) * s + D * (r - 1) + 1, 0) + o for n, s, D, r, o in
            zip(x.shape[2:], stride, dilation, w.shape[2:], output_padding)]
    y = np.zeros((len(x), groups * k) + tuple(full))
    for g, (a, f) in enumerate(zip(np.split(x, groups, 1), np.split(w, groups))):
        for at in np.ndindex(*x.shape[2:]):
            for tap in np.ndindex(*w.shape[2:]):
                to = tuple(i * s + t * D for i, s, t, D in zip(at, stride, tap, dilation))
                y[(slice(None), slice(g * k, g * k + k)) + to] += a[(Ellipsis,) + at] @ f[(Ellipsis,) + tap]
    y = y[(slice(None), slice(None)) + tuple(slice(p, n - p) for p, n in zip(padding, full))]
    return y + b.reshape((-1,) + (1,) * d)


def last(f, x, *args, **kw):
    """f of x with its channels, the last axis, put first, and back."""
    return np.moveaxis(f(np.moveaxis(x, -1, 1), *args, **kw), 1, -1)


def pick(sizes, d, taps=True, **fixed):
    """Sizes of an input and, where taps, of a filter."""
    r = [{**dict(zip("NCK", (2, 3, 2))), **dict(zip("L" if d == 1 else "DHW"[3 - d:], s)), **fixed} for s, _ in sizes]
    for c, (_, f) in zip(r, sizes):
        c.update(zip("R" if d == 1 else "RSU", f) if taps else ())
    return r


SIZES = {1: [((9,), (3,)), ((4,), (1,)), ((3,), (2,)), ((0,), (1,))],
         2: [((7, 8), (3, 2)), ((5, 4), (1, 1)), ((3, 9), (2, 3)), ((0, 3), (1, 2))],
         3: [((4, 5, 6), (2, 3, 1)), ((3, 4, 3), (1, 2, 3))]}
LAST = {1: "nlc", 2: "nhwc", 3: "ndhwc"}


def statics(d, **names):
    """Of tuples by axis, the text of static parameters."""
    return ", ".join(f"{n}{s} = {v}" for n, t in names.items()
                     for s, v in zip(("", "_w") if d == 2 else ("", "_h", "_w"), t))


for d in (1, 2, 3):
    plain = dict(stride=(1,) * d, padding=(0,) * d, dilation=(1,) * d)
    odd = dict(stride=(2, 3, 1)[:d], padding=(1, 0, 2)[:d], dilation=(2, 1, 1)[:d])
    for groups, s in ((1, plain), (2, odd)):
        text = f"T = f64, groups = {groups}, " + statics(d, **s)
        torch = f"F.conv{d}d(x, w, b, {s['stride']}, {s['padding']}, {s['dilation']}, {groups})"
        for sizes, expression in ((SIZES[d][:1], torch), (SIZES[d][1:], None)):
            case(f"conv{d}d", f"conv{d}d({text})", lambda x, w, b, g=groups, s=s: conv(x, w, b, g, **s), pick(sizes, d),
                 torch=expression)
        case(f"conv{d}d_{LAST[d]}", f"conv{d}d_{LAST[d]}({text}, act = relu)",
             lambda x, w, b, g=groups, s=s: np.maximum(last(conv, x, np.moveaxis(w, -1, 1), b, g, **s), 0),
             pick(SIZES[d], d))
    for groups, out, s in ((1, 0, plain), (2, 1, odd)):
        text = f"T = f64, groups = {groups}, " + statics(d, output_padding=(out,) * d, **s)
        case(f"conv_transpose{d}d", f"conv_transpose{d}d({text})",
             lambda x, w, b, g=groups, o=out, s=s: transposed(x, w, b, g, output_padding=(o,) * len(s["stride"]), **s),
             pick([t for t in SIZES[d] if min(t[0]) > 1], d))
    if d == 3:
        continue
    for s in (plain, odd):
        text = "T = f64, " + statics(d, **s)
        case(f"depthwise_conv{d}d", f"depthwise_conv{d}d({text})",
             lambda x, w, b, s=s: conv(x, w, b, x.shape[1], **s), [{**c, "M": 2} for c in pick(SIZES[d], d)])
        case(f"depthwise_conv{d}d_{LAST[d]}", f"depthwise_conv{d}d_{LAST[d]}({text})",
             lambda x, w, b, s=s: last(conv, x, np.moveaxis(w, -1, 0)[:, None], b, x.shape[-1], **s),
             pick(SIZES[d], d))


def same(x, w, b, dilation):
    total = [D * (k - 1) for D, k in zip(dilation, w.shape[2:])]
    x = np.pad(x, [(0, 0), (0, 0)] + [(t // 2, t - t // 2) for t in total])
    return conv(x, w, b, 2, (1, 1), (0, 0), dilation)


case("conv2d_same", "conv2d_same(T = f64, groups = 2, dilation = 2, dilation_w = 1)",
     lambda x, w, b: same(x, w, b, (2, 1)), pick(SIZES[2], 2))
case("pointwise_conv", "pointwise_conv(T = f64, D = [H, W])",
     lambda x, w, b: np.einsum("nchw,kc->nkhw", x, w) + b[:, None, None])
case("causal_conv1d", "causal_conv1d(T = f64)",
     lambda x, w, b: conv(np.pad(x, ((0, 0), (0, 0), (w.shape[1] - 1, 0))), w[:, None], b, x.shape[1], [1], [0], [1]),
     pick(SIZES[1], 1))

# ---- gradients: of a sum of conv * dy, by what each product touches ----
STEP = dict(stride=(2, 1), padding=(1, 0), dilation=(1, 2))
GRAD = [dict(N=2, C=3, K=2, H=7, W=6, R=3, S=2, P=4, Q=4), dict(N=1, C=1, K=1, H=1, W=1, R=1, S=1, P=2, Q=1)]


def grads(x, w, dy, groups, stride, padding, dilation):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    C, K = w.shape[1], len(w) // groups
    for o, r, s, p, q in np.ndindex(len(w), *w.shape[2:], *dy.shape[2:]):
        h, v = p * stride[0] + r * dilation[0] - padding[0], q * stride[1] + s * dilation[1] - padding[1]
        if 0 <= h < x.shape[2] and 0 <= v < x.shape[3]:
            g = slice(o // K * C, o // K * C + C)
            dx[:, g, h, v] += dy[:, o, p, q][:, None] * w[o, :, r, s]
            dw[o, :, r, s] += dy[:, o, p, q] @ x[:, g, h, v]
    return dx, dw


text = "T = f64, groups = 2, " + statics(2, **STEP)
case("conv2d_grad_input", f"conv2d_grad_input({text})",
     lambda dy, w, N, C, H, W: grads(np.zeros((N, 2 * C, H, W)), w, dy, 2, **STEP)[0], GRAD)
case("conv2d_grad_weight", f"conv2d_grad_weight({text})",
     lambda x, dy, C, K, R, S: grads(x, np.zeros((2 * K, C, R, S)), dy, 2, **STEP)[1], GRAD)
case("im2col", "im2col(T = f64, kernel = 3, kernel_w = 2, " + statics(2, **STEP) + ")",
     lambda x: (lambda t: t.transpose(0, 1, 4, 5, 2, 3).reshape(len(t), t.shape[1] * 6, t.shape[2] * t.shape[3]))(
         windows(x, (3, 2), (2, 1), (1, 0), (1, 2))), [dict(N=2, C=3, H=7, W=6), dict(N=1, C=1, H=1, W=3)],
     torch="F.unfold(x, (3, 2), (1, 2), (1, 0), (2, 1))")


# ---- pooling ----
def count(n, k, s, p, up, D=1):
    m = (n + 2 * p - D * (k - 1) - 1 + (s - 1 if up else 0)) // s + 1
    return m - 1 if up and (m - 1) * s >= n + p else m


def pooled(x, f, fill, kernel, stride, padding, up=False, dilation=None):
    d = len(kernel)
    dilation = dilation or (1,) * d
    n = [count(x.shape[i - d], k, s, p, up, D) for i, (k, s, p, D) in enumerate(zip(kernel, stride, padding, dilation))]
    return f(windows(x, kernel, stride, padding, dilation, fill, n), tuple(range(-d, 0)))


POOL = {1: [(9,), (8,), (2,)], 2: [(7, 8), (6, 5), (2, 3)], 3: [(4, 5, 6), (2, 3, 5)]}
for d in (1, 2, 3):
    sizes = [{"P": 3, **dict(zip(("L",) if d == 1 else "DHW"[3 - d:], s))} for s in POOL[d]]
    for up in (False, True):
        k, s, p = (3, 2, 3)[:d], (2, 1, 3)[:d], (1, 0, 1)[:d]
        text = f"T = f64, B = [P], ceil_mode = {str(up).lower()}, " + statics(d, kernel=k, stride=s, padding=p)
        case(f"max_pool{d}d", f"max_pool{d}d({text})",
             lambda x, k=k, s=s, p=p, up=up: pooled(x, np.max, -inf, k, s, p, up), sizes,
             torch=f"F.max_pool{d}d(x, {k}, {s}, {p}, 1, {up})")
        for pad in (True, False):
            case(f"avg_pool{d}d", f"avg_pool{d}d({text}, count_include_pad = {str(pad).lower()})",
                 lambda x, k=k, s=s, p=p, up=up, pad=pad: average(x, k, s, p, up, pad), sizes,
                 torch=f"F.avg_pool{d}d(x, {k}, {s}, {p}, {up}, {pad})")


def average(x, k, s, p, up, pad):
    """Over the number of a window's elements in the input, or in the padded input."""
    d = len(k)
    n = [count(x.shape[i - d], *t, up) for i, t in enumerate(zip(k, s, p))]
    total = windows(x, k, s, p, (1,) * d, 0.0, n).sum(tuple(range(-d, 0)))
    held = np.pad(np.ones(x.shape[-d:]), [(m, m) for m in p], constant_values=float(pad))
    return total / windows(held, k, s, (0,) * d, (1,) * d, 0.0, n).sum(tuple(range(-d, 0)))


def argmaxes(x, k, s, p, up):
    t = windows(x, k, s, p, (1, 1), -inf, [count(x.shape[i - 2], *v, up) for i, v in enumerate(zip(k, s, p))])
    flat = t.reshape(t.shape[:-2] + (-1,))
    at = flat.argmax(-1)
    i = np.arange(t.shape[1])[:, None] * s[0] + at // k[1] - p[0]
    j = np.arange(t.shape[2])[None] * s[1] + at % k[1] - p[1]
    return flat.max(-1), i * x.shape[2] + j


for draw in ({}, dict(x=ints(-2, 3))):
    case("max_pool2d_indices", "max_pool2d_indices(T = f64, B = [P], kernel = 3, kernel_w = 2, stride = 2, "
         "stride_w = 1, padding = 1, padding_w = 0, ceil_mode = true)", lambda x: argmaxes(x, (3, 2), (2, 1), (1, 0), True),
         [dict(P=2, H=7, W=8), dict(P=1, H=2, W=2)], draw)


def unpooled(x, ids, H, W):
    y = np.zeros((len(x), H * W))
    for b, p, q in np.ndindex(*x.shape):
        y[b, ids[b, p, q]] = x[b, p, q]
    return y.reshape(len(x), H, W)


case("max_unpool2d", "max_unpool2d(T = f64, I = i64, B = [N])", unpooled,
     [dict(N=2, P=3, Q=2, H=6, W=5), dict(N=1, P=1, Q=1, H=1, W=1)], dict(ids=ints(0, "H*W")))
case("lp_pool2d", "lp_pool2d(T = f64, B = [P], norm = 3, kernel = 2, stride = 1)",
     lambda x: (windows(abs(x), (2, 2), (1, 2), (0, 0), (1, 1)) ** 3).sum((-1, -2)) ** (1 / 3),
     [dict(P=2, H=4, W=5)])
case("global_avg_pool", "global_avg_pool(T = f64, D = [H, W])", lambda x, H, W: x.sum((2, 3)) / np.float64(H * W))
case("global_max_pool", "global_max_pool(T = f64, D = [H, W])", lambda x: x.max((2, 3), initial=-inf))
case("global_avg_pool_nhwc", "global_avg_pool_nhwc(T = f64, D = [H, W])", lambda x, H, W: x.sum((1, 2)) / np.float64(H * W))


def adaptive(x, f, *out):
    """Along the last axes, one after the other: both functions are of the separable kind."""
    for axis, p in zip(range(-len(out), 0), out):
        n = x.shape[axis]
        parts = [f(np.take(x, range(i * n // p, -(-(i + 1) * n // p)), axis), axis) for i in range(p)]
        x = np.stack(parts, axis) if parts else np.empty(x.shape[:axis] + (0,) + x.shape[axis:][1:])
    return x


ONE = [dict(M=2, L=7, P=3), dict(M=2, L=3, P=7), dict(M=1, L=1, P=1)]
TWO = [dict(M=2, H=7, W=4, P=3, Q=5), dict(M=1, H=1, W=6, P=1, Q=6)]
case("adaptive_avg_pool1d", "adaptive_avg_pool1d(T = f64, B = [M])", lambda x, P: adaptive(x, np.mean, P), ONE,
     torch="F.adaptive_avg_pool1d(x, P)")
case("adaptive_avg_pool2d", "adaptive_avg_pool2d(T = f64, B = [M])", lambda x, P, Q: adaptive(x, np.mean, P, Q), TWO,
     torch="F.adaptive_avg_pool2d(x, (P, Q))")
case("adaptive_avg_pool3d", "adaptive_avg_pool3d(T = f64, B = [M])", lambda x, P, Q, R: adaptive(x, np.mean, P, Q, R),
     [dict(M=2, D=5, H=7, W=4, P=3, Q=5, R=2)], torch="F.adaptive_avg_pool3d(x, (P, Q, R))")
case("adaptive_max_pool1d", "adaptive_max_pool1d(T = f64, B = [M])", lambda x, P: adaptive(x, np.max, P), ONE)
case("adaptive_max_pool2d", "adaptive_max_pool2d(T = f64, B = [M])", lambda x, P, Q: adaptive(x, np.max, P, Q), TWO)
