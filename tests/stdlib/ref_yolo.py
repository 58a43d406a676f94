"""References of stdlib/yolo.td. The reference of a gradient is the function's own, run on dual numbers."""
import numpy as np
from harness import case, ints, normal, uniform

SIZES = [dict(N=41), dict(N=1), dict(N=0)]
PAIRS = [dict(M=7, N=9), dict(M=1, N=1), dict(M=0, N=3)]


def xyxy(b):
    return np.concatenate([b[..., :2] - b[..., 2:] / 2, b[..., :2] + b[..., 2:] / 2], -1)


def boxes(rng, shape, dims):
    """By centre and size, some of them apart from each other."""
    b = rng.uniform(.5, 3, shape)
    b[..., :2] += rng.uniform(0, 3, shape)[..., :2]
    return b


def corners(rng, shape, dims):
    return xyxy(boxes(rng, shape, dims))


BOTH = dict(a=boxes, b=boxes)
CORNERS = dict(a=corners, b=corners)

# ---- forms of boxes ----
case("xywh_to_xyxy", "xywh_to_xyxy(T = f64, B = [N])", xyxy, SIZES, torch="torch.cat([b[..., :2] - b[..., 2:] / 2, "
     "b[..., :2] + b[..., 2:] / 2], -1)")
case("xyxy_to_xywh", "xyxy_to_xywh(T = f64, B = [N])",
     lambda b: np.concatenate([(b[:, :2] + b[:, 2:]) / 2, b[:, 2:] - b[:, :2]], -1), SIZES)
case("xywhn_to_xyxy", "xywhn_to_xyxy(T = f64, B = [N])",
     lambda b, width, height, pad_x, pad_y: xyxy(b) * np.tile([width, height], 2) + np.tile([pad_x, pad_y], 2), SIZES,
     scalars=dict(width=640, height=480, pad_x=3, pad_y=-2))
case("clip_boxes", "clip_boxes(T = f64, B = [N])",
     lambda b, width, height: np.clip(b, 0, np.tile([width, height], 2)), SIZES, dict(b=normal(3)),
     scalars=dict(width=2, height=1.5))
case("box_area", "box_area(T = f64, B = [N])", lambda b: (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1]), SIZES)


# ---- how boxes overlap ----
def overlap(a, b, kind, eps, ratio):
    wh = np.clip(np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2]), 0, None)
    inter = wh[..., 0] * wh[..., 1]
    sa, sb = a[..., 2:] - a[..., :2], b[..., 2:] - b[..., :2]
    union = sa.prod(-1) + sb.prod(-1) - inter + eps
    iou = inter / union
    hull = np.maximum(a[..., 2:], b[..., 2:]) - np.minimum(a[..., :2], b[..., :2])
    if kind == 1:
        return iou - (hull.prod(-1) + eps - union) / (hull.prod(-1) + eps)
    rho2 = (((a[..., :2] + a[..., 2:]) - (b[..., :2] + b[..., 2:])) ** 2).sum(-1) / 4
    diou = iou - rho2 / ((hull ** 2).sum(-1) + eps)
    v = 4 / np.pi ** 2 * (np.arctan(sb[..., 0] / (sb[..., 1] + ratio)) - np.arctan(sa[..., 0] / (sa[..., 1] + ratio))) ** 2
    return iou if kind == 0 else diou if kind == 2 else diou - v * v / (v - iou + 1 + eps)


for kind, name in enumerate(("", "bbox_giou", "bbox_diou", "bbox_ciou")):
    def of(a, b, eps, k=kind):
        return overlap(xyxy(a), xyxy(b), k, eps, eps)
    case("bbox_iou", f"bbox_iou(T = f64, B = [N], kind = {kind})", of, SIZES, BOTH)
    case("bbox_iou", f"bbox_iou(T = f64, B = [N], kind = {kind}, xywh = false)",
         lambda a, b, eps, k=kind: overlap(a, b, k, eps, eps), SIZES, CORNERS, dict(eps=.01))
    if name:
        case(name, name + "(T = f64, B = [N])", of, SIZES, BOTH)
    case("box_iou", f"box_iou(T = f64, kind = {kind})",
         lambda a, b, eps, k=kind: overlap(a[:, None], b[None], k, eps, 0), PAIRS, CORNERS, dict(eps=1e-7))
    case("bbox_loss", f"bbox_loss(T = f64, kind = {kind})",
         lambda a, b, eps, k=kind: np.mean(1 - overlap(xyxy(a), xyxy(b), k, eps, eps)), SIZES[:2], BOTH)


class Dual:
    """A value and its derivative by one input."""
    __array_ufunc__ = None  # an array beside it leaves the operation to it

    def __init__(self, v, d=0.0):
        self.v, self.d = v, d + 0 * v

    def __add__(self, o):
        o = dual(o)
        return Dual(self.v + o.v, self.d + o.d)

    def __sub__(self, o):
        o = dual(o)
        return Dual(self.v - o.v, self.d - o.d)

    def __mul__(self, o):
        o = dual(o)
        return Dual(self.v * o.v, self.d * o.v + self.v * o.d)

    def __truediv__(self, o):
        o = dual(o)
        return Dual(self.v / o.v, (self.d * o.v - self.v * o.d) / o.v ** 2)

    def __pow__(self, n):
        return Dual(self.v ** n, n * self.v ** (n - 1) * self.d)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, o):
        return dual(o) - self

    def __rtruediv__(self, o):
        return dual(o) / self


def dual(x):
    return x if isinstance(x, Dual) else Dual(np.asarray(x, float))


# What max and min give the derivative to on ties: to each side all of it, or to the second alone.
EACH, SECOND = "each", "second"


def choose(a, b, larger, ties):
    a, b = dual(a), dual(b)
    first = a.v > b.v if larger else a.v < b.v
    if ties == EACH:
        first = first | ((a.v == b.v) & (a.d != 0))
    return Dual(np.where(first, a.v, b.v), np.where(first, a.d, b.d))


def positive(a):
    a = dual(a)
    return Dual(np.maximum(a.v, 0), np.where(a.v > 0, a.d, 0))


def arctan(a):
    a = dual(a)
    return Dual(np.arctan(a.v), a.d / (1 + a.v ** 2))


def value(f):
    return lambda **x: tuple(y.v for y in f(**{n: dual(v) for n, v in x.items() if n != "N"}))


def gradient(f, d, x, names):
    """Sum over f's results of d[i] times their derivatives by each of the names, which are of elements."""
    return tuple(sum(e * y.d for e, y in zip(d, f(**{k: Dual(v, 1.0 if k == n else 0.0) if isinstance(v, np.ndarray) else
                                                     v for k, v in x.items()}))) for n in names)


# ---- the links of the chain, and their gradients ----
NAMES = "b1_x1 b1_x2 b2_x1 b2_x2 b1_y1 b1_y2 b2_y1 b2_y2".split()
WH = "w1 h1 w2 h2".split()
case("get_bounding_boxes_coord", "get_bounding_boxes_coord(T = f64, B = [N])",
     lambda x1, y1, w1, h1, x2, y2, w2, h2: (x1 - w1 / 2, x1 + w1 / 2, y1 - h1 / 2, y1 + h1 / 2,
                                             x2 - w2 / 2, x2 + w2 / 2, y2 - h2 / 2, y2 + h2 / 2), SIZES)
case("get_bounding_boxes_coord_grad", "get_bounding_boxes_coord_grad(T = f64, B = [N])",
     lambda d1_x1, d1_x2, d1_y1, d1_y2, d2_x1, d2_x2, d2_y1, d2_y2: (
         d1_x1 + d1_x2, d1_y1 + d1_y2, (d1_x2 - d1_x1) / 2, (d1_y2 - d1_y1) / 2,
         d2_x1 + d2_x2, d2_y1 + d2_y2, (d2_x2 - d2_x1) / 2, (d2_y2 - d2_y1) / 2), SIZES)


def area(b1_x1, b1_x2, b2_x1, b2_x2, b1_y1, b1_y2, b2_y1, b2_y2):
    w = positive(choose(b1_x2, b2_x2, False, EACH) - choose(b1_x1, b2_x1, True, EACH))
    h = positive(choose(b1_y2, b2_y2, False, EACH) - choose(b1_y1, b2_y1, True, EACH))
    return w * h,


def diagonal(b1_x1, b1_x2, b2_x1, b2_x2, b1_y1, b1_y2, b2_y1, b2_y2, eps=1e-7):
    w = choose(b1_x2, b2_x2, True, SECOND) - choose(b1_x1, b2_x1, False, SECOND)
    h = choose(b1_y2, b2_y2, True, SECOND) - choose(b1_y1, b2_y1, False, SECOND)
    return w * w + h * h + eps,


def distance(b1_x1, b1_x2, b2_x1, b2_x2, b1_y1, b1_y2, b2_y1, b2_y2):
    return ((b2_x1 + b2_x2 - b1_x1 - b1_x2) ** 2 + (b2_y1 + b2_y2 - b1_y1 - b1_y2) ** 2) / 4,


def iou(w1, h1, w2, h2, inter, eps=1e-7):
    return inter / (w1 * h1 + w2 * h2 - inter + eps),


def angle(w1, h1, w2, h2, eps=1e-8):
    return 4 / np.pi ** 2 * (arctan(w2 / (h2 + eps)) - arctan(w1 / (h1 + eps))) ** 2,


def result(v, iou, rho2, c2, eps=1e-7):
    alpha = v / (v - iou + 1 + eps)
    return iou - (rho2 / c2 + v * alpha), alpha


def link(name, f, draws, names):
    for draw in draws:
        case(name, name + "(T = f64, B = [N])", value(f), SIZES, draw)
        case(name + "_grad", name + "_grad(T = f64, B = [N])",
             lambda d, **x: gradient(f, (d,), {n: v for n, v in x.items() if n != "N"}, names), SIZES, draw)


ENDS = [{n: uniform(-2, 2) for n in NAMES}, {n: ints(0, 4) for n in NAMES}]
SIDES = {n: uniform(1, 2) for n in WH}
link("get_intersection_area", area, ENDS, NAMES)
link("get_convex_diagonal_squared", diagonal, ENDS, NAMES)
link("get_center_dist", distance, ENDS, NAMES)
link("get_iou", iou, [{**SIDES, "inter": uniform(0, 1)}], ["w1", "h1", "inter"])
link("get_ciou_diagonal_angle", angle, [SIDES], WH)
RESULT = dict(v=uniform(0, 1), iou=uniform(0, .9), rho2=uniform(0, 2), c2=uniform(1, 4))
case("get_ciou_result", "get_ciou_result(T = f64, B = [N])", value(result), SIZES, RESULT)
case("get_ciou_result_grad", "get_ciou_result_grad(T = f64, B = [N])",
     lambda d, alpha, rho2, c2: gradient(lambda v, iou, rho2, c2: (iou - (rho2 / c2 + v * alpha),), (d,),
                                         dict(v=alpha, iou=alpha, rho2=rho2, c2=c2), ("v", "iou", "rho2", "c2")), SIZES,
     dict(alpha=uniform(0, 1), rho2=uniform(0, 2), c2=uniform(1, 4)))


def ciou_loss(x, y, w, h, b, alpha, eps):
    """1 - CIoU of one box a row, alpha given."""
    x2, y2, w2, h2 = b.T
    ends = (x - w / 2, x + w / 2, x2 - w2 / 2, x2 + w2 / 2, y - h / 2, y + h / 2, y2 - h2 / 2, y2 + h2 / 2)
    u, = iou(w, h, w2, h2, area(*ends)[0], eps)
    v, = angle(w, h, w2, h2, eps)
    return 1 - (u - (distance(*ends)[0] / diagonal(*ends, eps)[0] + v * (alpha if alpha is not None else
                                                                       v / (v - u + 1 + eps)))), v, u


def ciou_loss_grad(a, b, d_loss, eps):
    columns = dict(zip("xywh", a.T))
    _, v, u = ciou_loss(*map(dual, a.T), b, None, eps)
    alpha = v.v / (v.v - u.v + 1 + eps)
    g = gradient(lambda **x: ciou_loss(**x, b=b, alpha=alpha, eps=eps)[:1], (d_loss / max(len(a), 1),), columns, "xywh")
    return np.stack(g, -1)


case("bbox_ciou_loss_grad", "bbox_ciou_loss_grad(T = f64)", ciou_loss_grad, SIZES, BOTH, dict(d_loss=3))


# ---- from a detector's outputs to boxes ----
def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cells(H, W):
    return np.stack(np.meshgrid(np.arange(W), np.arange(H)), -1)


LEVEL = [dict(B=2, A=3, H=4, W=5, C=2), dict(B=1, A=1, H=1, W=1, C=0)]
STRIDE = dict(stride=8)


def yolov5(x, anchors, stride, B, A, H, W, C):
    s = sigmoid(x)
    xy = (2 * s[..., :2] - .5 + cells(H, W)) * stride
    wh = (2 * s[..., 2:4]) ** 2 * anchors[:, None, None]
    return np.concatenate([xy, wh, s[..., 4:]], -1).reshape(B, A * H * W, 5 + C)


def yolov3(x, anchors, stride, H, W):
    return np.concatenate([(sigmoid(x[..., :2]) + cells(H, W)) * stride, np.exp(x[..., 2:4]) * anchors[:, None, None],
                           sigmoid(x[..., 4:])], -1)


def yolox(x, stride, B, C, H, W):
    x = np.moveaxis(x, 1, -1)
    return np.concatenate([(x[..., :2] + cells(H, W)) * stride, np.exp(x[..., 2:4]) * stride,
                           sigmoid(x[..., 4:])], -1).reshape(B, H * W, 5 + C)


case("yolov5_decode", "yolov5_decode(T = f64, U = f64)", yolov5, LEVEL, scalars=STRIDE)
case("yolov3_decode", "yolov3_decode(T = f64, U = f64)", yolov3, LEVEL, scalars=STRIDE)
case("yolox_decode", "yolox_decode(T = f64)", yolox, [{k: s[k] for k in "BCHW"} for s in LEVEL], scalars=STRIDE)
case("make_anchors", "make_anchors(T = f64)", lambda H, W, offset: (cells(H, W) + offset).reshape(H * W, 2),
     [dict(H=3, W=5), dict(H=1, W=1)], scalars=dict(offset=.5))


def expected(x, R):
    e = np.exp(x).reshape(len(x), 4, R, -1)
    return np.einsum("bsra,r->bsa", e / e.sum(2, keepdims=True), np.arange(R))


case("dfl", "dfl(T = f64)", expected, [dict(B=2, R=16, A=7), dict(B=1, R=1, A=1)])


def dfl_loss(x, t):
    t = np.clip(t, 0, x.shape[1] - 1.01)
    p = np.log(np.exp(x) / np.exp(x).sum(1, keepdims=True))
    i = np.floor(t).astype(int)
    n = np.arange(len(t))
    return -p[n, i] * (i + 1 - t) - p[n, i + 1] * (t - i)


case("dfl_loss", "dfl_loss(T = f64)", dfl_loss, [dict(N=9, R=5), dict(N=3, R=2), dict(N=0, R=4)], dict(t=uniform(-1, 6)))


def to_box(d, points, xywh):
    a, b = points - d[..., :2], points + d[..., 2:]
    return np.concatenate([(a + b) / 2, b - a] if xywh else [a, b], -1)


for form in (True, False):
    case("dist_to_bbox", f"dist_to_bbox(T = f64, B = [P], xywh = {str(form).lower()})",
         lambda d, points, f=form: to_box(d, points, f))
case("bbox_to_dist", "bbox_to_dist(T = f64)", lambda b, points, most: np.clip(
    np.concatenate([points - b[:, :2], b[:, 2:] - points], -1), 0, most - .01), SIZES, scalars=dict(most=1.5))
case("anchor_match", "anchor_match(T = f64)",
     lambda sizes, anchors: (np.maximum(sizes / anchors[:, None], anchors[:, None] / sizes) < 2).all(-1),
     [dict(N=30, A=3), dict(N=1, A=1), dict(N=0, A=2)], dict(sizes=uniform(1, 9), anchors=uniform(2, 4)),
     dict(limit=2))


def fast_nms(b, limit):
    s = overlap(b[:, None], b[None], 0, 0, 0)
    return np.array([not (s[:i, i] > limit).any() for i in range(len(b))], bool)


case("fast_nms", "fast_nms(T = f64)", fast_nms, SIZES, dict(b=corners), dict(limit=.4))


def masks(c, p, b):
    h, w = np.arange(p.shape[1])[:, None], np.arange(p.shape[2])
    x1, y1, x2, y2 = (v[:, None, None] for v in b.T)
    return np.where((w >= x1) & (w < x2) & (h >= y1) & (h < y2), sigmoid(np.einsum("nk,khw->nhw", c, p)), 0)


case("process_mask", "process_mask(T = f64)", masks, [dict(N=5, K=3, H=4, W=6), dict(N=1, K=1, H=1, W=1)],
     dict(b=corners))
case("normalize_image", "normalize_image(T = f64)",
     lambda x, mean, deviation: ((x / 255 - mean) / deviation).transpose(0, 3, 1, 2),
     draw=dict(x=ints(0, 256), deviation=uniform(.2, 1)))


# ---- losses of elements ----
def bce(x, t):
    return t * np.logaddexp(0, -x) + (1 - t) * np.logaddexp(0, x)


def focal(x, t, gamma=1.5, alpha=.25):
    p = sigmoid(x)
    return bce(x, t) * (t * alpha + (1 - t) * (1 - alpha)) * (1 - (t * p + (1 - t) * (1 - p))) ** gamma


TARGETS = dict(x=normal(3), t=lambda rng, shape, dims: rng.choice([0, 0, .25, .7, 1], shape))
for name, ref, more in (
        ("focal_loss", focal, dict(gamma=2.0, alpha=.6)),
        ("quality_focal_loss", lambda x, t, gamma=1.5, alpha=.25: bce(x, t) * (t * alpha + (1 - t) * (1 - alpha)) *
         abs(t - sigmoid(x)) ** gamma, dict(gamma=2.0, alpha=.6)),
        ("varifocal_loss", lambda x, t, gamma=2.0, alpha=.75: bce(x, t) * np.where(t > 0, t, alpha * sigmoid(x) ** gamma),
         dict(gamma=1.5, alpha=.6))):
    for given_ in ({}, more):
        call = ", ".join(["x[n]", "t[n]"] + [f"{k} = {v}" for k, v in given_.items()])
        case(name, f"export fn it(x: f64[N], t: f64[N]) -> (y: f64[N]) {{ y[n] = {name}({call}); }}",
             lambda x, t, f=ref, g=given_: f(x, t, **g), [dict(N=300), dict(N=0)], TARGETS)
case("smooth_bce", "export fn it(t: f64[N]) -> (y: f64[N]) { y[n] = smooth_bce(t[n], 0.2); }", lambda t: t * .8 + .1)
