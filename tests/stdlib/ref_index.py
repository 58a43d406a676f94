"""References of stdlib/index.td."""
import numpy as np
from harness import case, given, ints, normal, uniform

inf = np.inf
GATHER = dict(ids=ints(0, "N"))


def dims(*names):
    """Sizes that a gather can have: nothing is chosen from nothing."""
    odd = dict(zip(names, (3, 5, 7, 4)))
    return [odd, {n: 1 for n in names}] + [{**odd, n: 0} for n in names if n not in "NV"]


def scattered(x, ids, src, f):
    """f(old, new) for each k, along the last axis."""
    y = np.array(x, copy=True)
    for at in np.ndindex(ids.shape):
        to = at[:-1] + (ids[at],)
        y[to] = f(y[to], src[at])
    return y


def rows(x, ids, src, f):
    y = np.array(x, copy=True)
    for k, n in enumerate(ids):
        y[n] = f(y[n], src[k])
    return y


def plus(a, b):
    return a + b


def second(a, b):
    return b


# ---- gather ----
for name in ("gather", "take_along"):
    case(name, name + "(T = f64, I = i64, B = [M])", lambda x, ids: np.take_along_axis(x, ids, -1), dims("M", "N", "K"),
         GATHER, torch="torch.gather(x, -1, ids)")
case("gather_rows", "gather_rows(T = f64, I = i64, B = [M])", lambda x, ids: np.take_along_axis(x, ids, -2),
     dims("M", "N", "D", "K"), GATHER, torch="torch.gather(x, -2, ids)")
case("take", "take(T = f64, I = i32, D = [P, Q])", lambda x, ids: x[ids], dims("N", "P", "Q", "K"), GATHER)
case("take", "take(T = i16, I = i32, D = [])", lambda x, ids: x[ids], dims("N", "K"), GATHER)
case("take_last", "take_last(T = f64, I = i32, B = [P])", lambda x, ids: x[:, ids], dims("P", "N", "K"), GATHER)
case("embedding", "embedding(T = f64, I = i64, B = [P])", lambda w, ids: w[ids], dims("V", "D", "P"),
     dict(ids=ints(0, "V")), torch="F.embedding(ids, w)")
BAGS = [dict(V=5, D=3, L=9, B=4), dict(V=1, D=1, L=1, B=1), dict(V=5, D=0, L=9, B=4), dict(V=3, D=2, L=0, B=3)]
bags = dict(ids=ints(0, "V"), offsets=lambda rng, shape, d: np.sort(np.r_[0, rng.integers(0, d["L"] + 1, shape[0] - 2), d["L"]]))


def bag(f):
    return lambda w, ids, offsets: np.array(
        [f(w[ids[a:b]]) if b > a else np.zeros(w.shape[1]) for a, b in zip(offsets, offsets[1:])])


case("embedding_bag_sum", "embedding_bag_sum(T = f64, I = i64, J = i64)", bag(lambda r: r.sum(0)), BAGS, bags,
     torch="F.embedding_bag(ids, w, offsets, mode='sum', include_last_offset=True)")
case("embedding_bag_mean", "embedding_bag_mean(T = f64, I = i64, J = i64)", bag(lambda r: r.mean(0)), BAGS, bags,
     torch="F.embedding_bag(ids, w, offsets, mode='mean', include_last_offset=True)")
case("element", "element(T = f64)", lambda x, i: x[i], [dict(N=7, i=3), dict(N=1, i=0)])

# ---- scatter ----
SCATTER = dims("P", "N", "K")
case("scatter_sum", "scatter_sum(T = f64, I = i64, B = [P])", lambda ids, src, P, N: scattered(np.zeros((P, N)), ids, src, plus),
     SCATTER, GATHER)
for name, f, torch in (("scatter_add", plus, "torch.scatter_add(x, -1, ids, src)"), ("scatter", second, None),
                       ("scatter_max", max, "torch.scatter_reduce(x, -1, ids, src, 'amax')"),
                       ("scatter_min", min, "torch.scatter_reduce(x, -1, ids, src, 'amin')")):
    case(name, name + "(T = f64, I = i64, B = [P])", lambda x, ids, src, f=f: scattered(x, ids, src, f), SCATTER, GATHER,
         torch=torch)
ROWS = dims("K", "D", "N")
case("segment_sum", "segment_sum(T = f64, I = i64)", lambda x, ids, N: rows(np.zeros((N, x.shape[1])), ids, x, plus), ROWS, GATHER)
case("segment_mean", "segment_mean(T = f64, I = i64)",
     lambda x, ids, N: rows(np.zeros((N, x.shape[1])), ids, x, plus) / np.maximum(np.bincount(ids, minlength=N), 1)[:, None],
     ROWS, GATHER)
case("segment_max", "segment_max(T = f64, I = i64)", lambda x, ids, N: rows(np.full((N, x.shape[1]), -inf), ids, x, np.maximum),
     ROWS, GATHER)
INDEX = dims("N", "D", "K")
case("index_add", "index_add(T = f64, I = i64)", lambda x, ids, src: rows(x, ids, src, plus), INDEX, GATHER,
     torch="torch.index_add(x, 0, ids, src)")
case("index_copy", "index_copy(T = f64, I = i64)", lambda x, ids, src: rows(x, ids, src, second), INDEX, GATHER)
case("index_fill", "index_fill(T = f64, I = i64)", lambda x, ids, value: rows(x, ids, [value] * len(ids), second), INDEX, GATHER,
     dict(value=2.5), torch="torch.index_fill(x, 0, ids, 2.5)")
case("bincount", "bincount(I = i32)", lambda ids, N: np.bincount(ids, minlength=N), [dict(K=9, N=5), dict(K=0, N=3)], GATHER)

# ---- choosing ----
case("select", "select(T = f64, B = [M])", lambda c, a, b: np.where(c, a, b), torch="torch.where(c, a, b)")
case("select", "export fn it(c: bool[M], a: i32[M], b: i32[M]) -> (y: i32[M]) { y = select(c, a, b); }",
     lambda c, a, b: np.where(c, a, b))
case("masked_fill", "masked_fill(T = f64, B = [M])", lambda x, mask, value: np.where(mask, value, x), scalars=dict(value=-7.5),
     torch="x.masked_fill(mask, -7.5)")
LONG = [dict(N=300), dict(N=1), dict(N=0)]
case("nonzero", "nonzero()",
     lambda mask: (np.r_[np.flatnonzero(mask), np.full(np.sum(~mask), -1)].astype(int), np.sum(mask)), LONG)
case("masked_select", "masked_select(T = f64)", lambda x, mask, value: np.r_[x[mask], np.full(np.sum(~mask), value)], LONG,
     scalars=dict(value=-3))
for ids in (ints(0, "N"), ints(-2, "N + 2")):
    case("one_hot", "one_hot(T = f64, I = i64, B = [M])", lambda ids, N: (ids[:, None] == np.arange(N)) * 1.0,
         [dict(M=5, N=4), dict(M=1, N=1), dict(M=0, N=3)], dict(ids=ids))
edges = dict(edges=lambda rng, shape, d: np.sort(rng.integers(-4, 5, shape)), v=ints(-5, 6))
for right in (False, True):
    case("bucketize", f"bucketize(T = f64, B = [M], right = {str(right).lower()})",
         lambda v, edges, r=right: np.searchsorted(edges, v, "right" if r else "left"), draw=edges,
         torch=f"torch.bucketize(v, edges, right={right})")
case("isin", "isin(T = i32, B = [M])", lambda v, values: np.isin(v, values), torch="torch.isin(v, values)")

# ---- order ----


def ordered(x, keep=None):
    at = np.argsort(x, -1, kind="stable")
    if keep is not None:  # the largest first, of equal ones the first first
        at = np.argsort(-x, -1, kind="stable")[..., :keep]
    return np.take_along_axis(x, at, -1), at


ORDER = [dict(P=3, N=301), dict(P=2, N=5000), dict(P=0, N=7), dict(P=3, N=1)]
case("sorted", "sorted(T = f64, B = [P])", ordered, ORDER)
case("largest", "largest(T = f64, B = [P])", lambda x, K: ordered(x, K), [dict(d, K=min(9, d["N"])) for d in ORDER])
case("ranks", "ranks(T = f64, B = [P])", lambda x: np.argsort(ordered(x)[1], -1, kind="stable"), ORDER)
case("median", "median(T = f64, B = [P])", lambda x: np.median(x, -1) if len(x) else np.zeros(0), ORDER)

# ---- making ----
SIZES = [dict(N=7), dict(N=1), dict(N=0)]
case("arange", "arange(T = f64)", lambda N, start, step: start + np.arange(N) * step, SIZES, scalars=dict(start=2, step=-.25))
case("arange", "arange(T = i32)", lambda N: np.arange(N, dtype=np.int32), SIZES, scalars=dict(start=0, step=1))
case("linspace", "linspace(T = f64)", lambda N, start, end: np.linspace(start, end, N), SIZES, scalars=dict(start=-1, end=2.5))
for k in (0, 2, -1):
    case("eye", f"eye(T = f64, k = {k})", lambda M, N, k=k: np.eye(M, N, k))
case("full", "full(T = f64)", lambda N, value: np.full(N, value), SIZES, scalars=dict(value=3.25))

# ---- triangles and diagonals ----
for k in (0, 1, -2):
    case("tril", "tril(T = f64, B = [P])", lambda x, k: np.tril(x, k), scalars=dict(k=k), torch="torch.tril(x, k)")
    case("triu", "triu(T = f64, B = [])", lambda x, k: np.triu(x, k), scalars=dict(k=k), torch="torch.triu(x, k)")
    case("scale_tril", "scale_tril(T = f64, B = [P])",
         lambda x, k, scale, fill: np.tril(x, k) * scale + np.triu(np.full(x.shape, fill), k + 1),
         scalars=dict(k=k, scale=-2.3, fill=.7))
    case("diagonal", f"diagonal(T = f64, B = [P], k = {k})", lambda x, k=k: np.diagonal(x, k, -2, -1),
         torch=f"torch.diagonal(x, {k}, -2, -1)")
    case("diag", f"diag(T = f64, B = [], k = {k})", lambda x, k=k: np.diag(x, k), torch=f"torch.diag_embed(x, {k})")

# ---- joining and cutting ----
case("concat", "concat(T = f64, B = [P])", lambda a, b: np.concatenate((a, b), -1), torch="torch.cat((a, b), -1)")
case("concat3", "concat3(T = f64, B = [P])", lambda a, b, c: np.concatenate((a, b, c), -1))
case("concat4", "concat4(T = f64, B = [P])", lambda a, b, c, d: np.concatenate((a, b, c, d), -1))
case("concat_rows", "concat_rows(T = f64, D = [P])", lambda a, b: np.concatenate((a, b)))
case("concat_channels", "concat_channels(T = f64, D = [H, W])", lambda a, b: np.concatenate((a, b), 1))
case("stack", "stack(T = f64, B = [M])", lambda a, b: np.stack((a, b)))
case("stack_last", "stack_last(T = f64, B = [M])", lambda a, b: np.stack((a, b), -1))
case("interleave", "interleave(T = f64, B = [M])", lambda a, b, M, N: np.stack((a, b), -1).reshape(M, 2 * N))
case("deinterleave", "deinterleave(T = f64, B = [M])", lambda x: (x[:, ::2], x[:, 1::2]))
case("split", "split(T = f64, B = [P])", lambda x, M: (x[:, :M], x[:, M:]))
case("split_rows", "split_rows(T = f64, D = [P])", lambda x, M: (x[:M], x[M:]))
case("chunk2", "chunk2(T = f64, B = [P])", lambda x: tuple(np.split(x, 2, -1)))
case("chunk3", "chunk3(T = f64, B = [P])", lambda x: tuple(np.split(x, 3, -1)))
case("narrow", "narrow(T = f64, B = [P])", lambda x, start, L: x[:, start:start + L],
     [dict(P=2, N=9, start=3, L=4), dict(P=1, N=5, start=1, L=4), dict(P=2, N=3, start=3, L=0)])
for start, step in ((0, 1), (1, 3), (4, 2)):
    case("slice_step", f"slice_step(T = f64, B = [P], start = {start}, step = {step})",
         lambda x, a=start, s=step: x[:, a::s], [dict(P=2, N=n) for n in (0, 1, 3, 4, 5, 6, 7, 8)])

# ---- padding ----
PADS = [dict(left=1, right=2), dict(left=-1, right=3), dict(left=0, right=-2)]


def padded(x, value, *widths):
    """widths: (before, after) of the last axes; negative ones cut."""
    for axis, (a, b) in zip(range(-len(widths), 0), widths):
        x = np.swapaxes(x, axis, 0)
        x = x[max(-a, 0):len(x) - max(-b, 0)]
        x = np.concatenate([np.full((max(a, 0),) + x.shape[1:], value), x, np.full((max(b, 0),) + x.shape[1:], value)])
        x = np.swapaxes(x, axis, 0)
    return x


BIG = [dict(P=2, N=5, D=6, H=4, W=7), dict(P=0, N=3, D=3, H=3, W=3)]


def sizes(*names):
    return [{n: s[n] for n in names} for s in BIG]


for p in PADS:
    l, r = p["left"], p["right"]
    text = f"left = {l}, right = {r}"
    case("pad1d", f"pad1d(T = f64, B = [P], {text})", lambda x, value, l=l, r=r: padded(x, value, (l, r)), sizes("P", "N"),
         scalars=dict(value=.5), torch=f"F.pad(x, ({l}, {r}), value=.5)")
    case("pad2d", f"pad2d(T = f64, B = [P], {text}, top = 3, bottom = -1)",
         lambda x, value, l=l, r=r: padded(x, value, (3, -1), (l, r)), sizes("P", "H", "W"), scalars=dict(value=.5),
         torch=f"F.pad(x, ({l}, {r}, 3, -1), value=.5)")
    case("pad3d", f"pad3d(T = f64, B = [P], {text}, top = 0, bottom = 1, front = -2, back = 1)",
         lambda x, value, l=l, r=r: padded(x, value, (-2, 1), (0, 1), (l, r)), sizes("P", "D", "H", "W"), scalars=dict(value=.5))
case("pad2d", "pad2d(T = i32, B = [P], left = 1)", lambda x, value: padded(x, value, (1, 1), (1, 1)), sizes("P", "H", "W"),
     scalars=dict(value=4))
for name, mode in (("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")):
    case(name + "_pad1d", f"{name}_pad1d(T = f64, B = [P], left = 2, right = 1)",
         lambda x, m=mode: np.pad(x, ((0, 0), (2, 1)), m), sizes("P", "N"), torch=f"F.pad(x, (2, 1), '{name}')")
    case(name + "_pad2d", f"{name}_pad2d(T = f64, B = [P], left = 2, right = 1, top = 0, bottom = 2)",
         lambda x, m=mode: np.pad(x, ((0, 0), (0, 2), (2, 1)), m), sizes("P", "H", "W"))
case("circular_pad1d", "circular_pad1d(T = f64, B = [P], left = 7, right = -1)",
     lambda x: np.pad(x, ((0, 0), (7, 0)), "wrap")[:, :-1], sizes("P", "N"))

# ---- order ----
case("transpose", "transpose(T = f64, B = [P])", lambda x: np.swapaxes(x, -1, -2))
for p in ((2, 0, 1), (1, 0, 2), (0, 1, 2)):
    case("permute3", "permute3(T = f64, p0 = %d, p1 = %d, p2 = %d)" % p, lambda x, p=p: np.transpose(x, p))
for p in ((0, 2, 3, 1), (3, 1, 0, 2), (1, 2, 3, 0)):
    case("permute4", "permute4(T = f64, p0 = %d, p1 = %d, p2 = %d, p3 = %d)" % p, lambda x, p=p: np.transpose(x, p))
case("nchw_to_nhwc", "nchw_to_nhwc(T = f64)", lambda x: x.transpose(0, 2, 3, 1))
case("nhwc_to_nchw", "nhwc_to_nchw(T = f64)", lambda x: x.transpose(0, 3, 1, 2))
case("split_heads", "split_heads(T = f64, B = [P])", lambda x, P, S, H, D: x.reshape(P, S, H, D).swapaxes(1, 2))
case("merge_heads", "merge_heads(T = f64, B = [P])", lambda x, P, S, H, D: x.swapaxes(1, 2).reshape(P, S, H * D))
case("flatten2", "flatten2(T = f64, B = [P])", lambda x, P, M, N: x.reshape(P, M * N))
case("unflatten", "unflatten(T = f64, B = [P])", lambda x, P, M, N: x.reshape(P, M, N))
case("flip", "flip(T = f64, B = [P])", lambda x: np.flip(x, -1))
case("flip_rows", "flip_rows(T = f64, B = [P])", lambda x: np.flip(x, -2))
case("rot90", "rot90(T = f64, B = [P])", lambda x: np.rot90(x, 1, (-2, -1)))
for shift in (2, -3, 100):
    case("roll", "roll(T = f64, B = [P])", lambda x, shift: np.roll(x, shift, -1), scalars=dict(shift=shift))
    case("roll2d", "roll2d(T = f64, B = [P])", lambda x, dy, dx: np.roll(x, (dy, dx), (-2, -1)), scalars=dict(dy=shift, dx=-1))
case("tile", "tile(T = f64, B = [P], K = 3)", lambda x: np.tile(x, 3))
case("repeat", "repeat(T = f64, B = [P], K = 3)", lambda x: np.repeat(x, 3, -1))
case("repeat_rows", "repeat_rows(T = f64, D = [P], K = 3)", lambda x: np.repeat(x, 3, 0))
case("expand", "expand(T = f64, B = [P])", lambda x, K: np.broadcast_to(x, (K,) + x.shape))

# ---- resampling and blocks ----
IMAGES = dict(N=2, C=3, H=4, W=5)
case("upsample_nearest1d", "upsample_nearest1d(T = f64, B = [P], scale = 3)", lambda x: x.repeat(3, -1))
case("upsample_nearest2d", "upsample_nearest2d(T = f64, B = [P], scale = 2, scale_w = 3)", lambda x: x.repeat(2, -2).repeat(3, -1))
case("upsample_nearest2d_grad", "upsample_nearest2d_grad(T = f64, B = [P], scale = 2, scale_w = 3)",
     lambda dy, P, H, W: dy.reshape(P, H, 2, W, 3).sum((2, 4)))
case("upsample_nearest3d", "upsample_nearest3d(T = f64, B = [P])", lambda x: x.repeat(2, -3).repeat(2, -2).repeat(2, -1))
RESIZE = [dict(M=2, H=4, W=7, P=7, Q=3), dict(M=1, H=1, W=1, P=5, Q=2), dict(M=2, H=5, W=3, P=1, Q=0), dict(M=2, H=5, W=5, P=5, Q=5)]


def near(n, p):
    return np.arange(p) * n // max(p, 1)


case("resize_nearest2d", "resize_nearest2d(T = f64, B = [M])", lambda x, H, W, P, Q: x[:, near(H, P)][:, :, near(W, Q)], RESIZE)


def nearest_grad(dy, M, H, W, P, Q):
    dx = np.zeros((M, H, W))
    for i, h in enumerate(near(H, P)):
        for j, w in enumerate(near(W, Q)):
            dx[:, h, w] += dy[:, i, j]
    return dx


case("resize_nearest2d_grad", "resize_nearest2d_grad(T = f64, B = [M])", nearest_grad, RESIZE)


def lines(x, n, p, corners, axis):
    i = np.arange(p)
    at = i * (n - 1) / max(p - 1, 1) if corners else np.maximum((i + .5) * n / max(p, 1) - .5, 0)
    a = np.minimum(np.floor(at).astype(int), n - 1)
    b = np.minimum(a + 1, n - 1)
    shape = [1] * x.ndim
    shape[axis] = p
    f = (at - a).reshape(shape)
    return np.take(x, a, axis) * (1 - f) + np.take(x, b, axis) * f


for corners in (False, True):
    text = f"align_corners = {str(corners).lower()}"
    case("resize_linear1d", f"resize_linear1d(T = f64, B = [M], {text})", lambda x, W, P, c=corners: lines(x, W, P, c, 1),
         [{k: s[k] for k in ("M", "W", "P")} for s in RESIZE],
         torch=f"F.interpolate(x[None], size=P, mode='linear', align_corners={corners})[0]")
    case("resize_bilinear2d", f"resize_bilinear2d(T = f64, B = [M], {text})",
         lambda x, H, W, P, Q, c=corners: lines(lines(x, H, P, c, 1), W, Q, c, 2), RESIZE)
    case("upsample_bilinear2d", f"upsample_bilinear2d(T = f64, B = [M], {text}, scale = 3)",
         lambda x, H, W, c=corners: lines(lines(x, H, 3 * H, c, 1), W, 3 * W, c, 2), [dict(M=2, H=4, W=5), dict(M=1, H=1, W=1)])


def sampled(x, grid, corners):
    n, c, h, w = x.shape
    y = np.zeros((n, c) + grid.shape[1:3])
    for b, i, j in np.ndindex(*grid.shape[:3]):
        u, v = grid[b, i, j]
        u, v = ((u + 1) / 2 * (w - 1), (v + 1) / 2 * (h - 1)) if corners else (((u + 1) * w - 1) / 2, ((v + 1) * h - 1) / 2)
        for p in (int(np.floor(v)), int(np.floor(v)) + 1):
            for q in (int(np.floor(u)), int(np.floor(u)) + 1):
                if 0 <= p < h and 0 <= q < w:
                    y[b, :, i, j] += x[b, :, p, q] * (1 - abs(v - p)) * (1 - abs(u - q))
    return y


for corners in (False, True):
    case("grid_sample", f"grid_sample(T = f64, align_corners = {str(corners).lower()})",
         lambda x, grid, c=corners: sampled(x, grid, c), [dict(N=2, C=3, H=4, W=5, P=6, Q=7)], dict(grid=uniform(-1.3, 1.3)),
         torch=f"F.grid_sample(x, grid, align_corners={corners})")
case("pixel_shuffle", "pixel_shuffle(T = f64, r = 3)",
     lambda x, N, C, H, W: x.reshape(N, C, 3, 3, H, W).transpose(0, 1, 4, 2, 5, 3).reshape(N, C, 3 * H, 3 * W),
     torch="F.pixel_shuffle(x, 3)")
case("pixel_unshuffle", "pixel_unshuffle(T = f64, r = 3)",
     lambda x, N, C, H, W: x.reshape(N, C, H, 3, W, 3).transpose(0, 1, 3, 5, 2, 4).reshape(N, C * 9, H, W),
     torch="F.pixel_unshuffle(x, 3)")
case("channel_shuffle", "channel_shuffle(T = f64, g = 4)",
     lambda x, N, K, H, W: x.reshape(N, 4, K, H, W).swapaxes(1, 2).reshape(N, 4 * K, H, W), torch="F.channel_shuffle(x, 4)")
case("window_partition", "window_partition(T = f64, M = 3)",
     lambda x, N, P, Q, C: x.reshape(N, P, 3, Q, 3, C).swapaxes(2, 3).reshape(N, P, Q, 9, C))
case("window_reverse", "window_reverse(T = f64, M = 3)",
     lambda x, N, P, Q, C: x.reshape(N, P, Q, 3, 3, C).swapaxes(2, 3).reshape(N, P * 3, Q * 3, C))

# ---- padded batches, packed ----
case("seq_starts", "seq_starts(I = i32)", lambda len: np.r_[0, np.cumsum(len)], [dict(B=5), dict(B=1), dict(B=0)],
     dict(len=ints(0, 9)))


def places(mask, S, P):
    n = mask.sum(1)
    at = np.flatnonzero(mask)
    return n, np.r_[0, np.cumsum(n)], np.r_[at, np.full(max(P - len(at), 0), -1)].astype(int)[:P]


case("pack_places", "pack_places()", places, [dict(B=4, S=9, P=40), dict(B=1, S=1, P=2), dict(B=3, S=5, P=4), dict(B=2, S=0, P=3)])
case("pack", "pack(T = f64, I = i64, D = [C])",
     lambda x, place, B, S: np.where((place >= 0)[:, None], x.reshape(B * S, -1)[np.maximum(place, 0)], 0),
     [dict(B=3, S=4, C=5, P=9), dict(B=1, S=1, C=1, P=1)], dict(place=ints(-1, "B*S")))


def unpacked(x, start, S):
    y = np.zeros((len(start) - 1, S, x.shape[1]))
    for b in range(len(y)):
        n = min(max(start[b + 1] - start[b], 0), S)
        y[b, :n] = x[start[b]:start[b] + n]
    return y


case("unpack", "unpack(T = f64, I = i64, D = [C])", unpacked, [dict(P=9, C=3, B=4, S=5), dict(P=1, C=1, B=1, S=1), dict(P=0, C=2, B=2, S=3)],
     dict(start=lambda rng, shape, d: np.sort(rng.integers(0, d["P"] + 1, shape))))
case("length_mask", "length_mask(I = i32)", lambda len, S: np.arange(S) < len[:, None], [dict(B=5, S=6), dict(B=1, S=0)],
     dict(len=ints(0, 8)))
