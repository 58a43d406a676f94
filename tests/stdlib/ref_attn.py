"""References of stdlib/attn.td."""
import math
import numpy as np
from harness import case, ints, normal, uniform

inf = np.inf
SIZES = [dict(B=2, H=3, G=2, R=3, M=5, N=7, D=4, E=6), dict(B=1, H=1, G=1, R=1, M=1, N=1, D=1, E=1),
         dict(B=2, H=3, G=2, R=3, M=6, N=4, D=8, E=3)]


def sized(names, *more):
    return [{n: s[n] for n in names} for s in SIZES] + list(more)


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def shared(q, k):
    """Each head of k once for every head of q that reads it."""
    return k.repeat(q.shape[1] // k.shape[1], 1)


def scores(q, k, scale=None):
    return np.einsum("bhid,bhjd->bhij", q, shared(q, k)) * (q.shape[-1] ** -.5 if scale is None else scale)


def attend(s, v):
    return np.einsum("bhij,bhjd->bhid", softmax(s), shared(s, v))


def sees(m, n, causal=False, lower_right=False, window=0):
    i, j = np.arange(m)[:, None] + (n - m if lower_right else 0), np.arange(n)
    return (j <= i if causal else True) & ((abs(i - j) if not causal else i - j) < (window or inf))


def attention(q, k, v, scale=None, **mask):
    return attend(np.where(sees(q.shape[2], k.shape[2], **mask), scores(q, k, scale), -inf), v)


def lse(s):
    m = s.max(-1)
    return m + np.log(np.exp(s - m[..., None]).sum(-1))


def turned(*x):
    return [a.swapaxes(1, 2) for a in x]


MASKS = [dict(), dict(causal=True), dict(causal=True, lower_right=True, window=2), dict(window=4)]


def static(mask):
    return "".join(f", {k} = {str(v).lower()}" for k, v in mask.items())


for mask in MASKS:
    ok = [s for s in SIZES if not mask or sees(s["M"], s["N"], **mask).any(1).all()]
    mha, gqa = ([{n: s[n] for n in names} for s in ok] for names in ("BHMNDE", "BGRMNDE"))
    text = "T = f64" + static(mask)
    case("attention", f"attention({text})", lambda q, k, v, m=mask: attention(q, k, v, **m), mha,
         torch=f"F.scaled_dot_product_attention(q, k, v{', is_causal=True' if mask else ''})" if len(mask) < 2 and
         not mask.get("window") else None)
    case("attention_scaled", f"attention_scaled({text})", lambda q, k, v, scale, m=mask: attention(q, k, v, scale, **m),
         mha, scalars=dict(scale=.7))
    case("gqa_attention", f"gqa_attention({text})", lambda q, k, v, m=mask: attention(q, k, v, **m), gqa)
    case("attention_lse", f"attention_lse({text})", lambda q, k, v, scale, m=mask: (
        attention(q, k, v, scale, **m),
        lse(np.where(sees(q.shape[2], k.shape[2], **m), scores(q, k, scale), -inf))), gqa, scalars=dict(scale=.3))
    case("attention_bshd", f"attention_bshd({text})",
         lambda q, k, v, m=mask: attention(*turned(q, k, v), **m).swapaxes(1, 2), gqa)
    case("attention_softcap", f"attention_softcap({text})", lambda q, k, v, cap, m=mask: attend(np.where(
        sees(q.shape[2], k.shape[2], **m), cap * np.tanh(scores(q, k) / cap), -inf), v), gqa, scalars=dict(cap=1.5))

    def sink(q, k, v, sink, m=mask):
        s = np.where(sees(q.shape[2], k.shape[2], **m), scores(q, k), -inf)
        s = np.concatenate([s, np.broadcast_to(sink[:, None, None], s.shape[:3] + (1,))], -1)
        return np.einsum("bhij,bhjd->bhid", softmax(s)[..., :-1], shared(q, v))
    case("attention_sink", f"attention_sink({text})", sink, gqa)
    case("mask_scores", f"mask_scores({text})" if mask.get("causal") else f"mask_scores({text}, causal = false)",
         lambda s, m=mask: np.where(sees(*s.shape[2:], **m), s, -inf), sized("BHMN"))
    case("attention_mask", f"attention_mask({text[9:]})" if mask.get("causal") else
         f"attention_mask(causal = false{text[7:]})", lambda M, N, m=mask: np.broadcast_to(sees(M, N, **m), (M, N)), sized("MN"))

GQA = sized("BGRMNDE")
case("attention_masked", "attention_masked(T = f64)", lambda q, k, v, mask: attend(np.where(mask, scores(q, k), -inf), v), GQA,
     dict(mask=lambda rng, shape, d: (rng.integers(0, 2, shape) | (np.arange(shape[-1]) == 0)).astype(bool)))
case("attention_masked", "attention_masked(T = f64)", lambda q, k, v, mask: attend(np.where(mask, scores(q, k), -inf), v),
     GQA[:1], dict(mask=lambda rng, shape, d: np.arange(shape[2])[:, None] % 3 != np.zeros(shape)))
case("attention_key_mask", "attention_key_mask(T = f64)",
     lambda q, k, v, mask: attend(np.where(mask[:, None, None], scores(q, k), -inf), v), GQA,
     dict(mask=lambda rng, shape, d: (rng.integers(0, 2, shape) | (np.arange(shape[-1]) == 0)).astype(bool)))
for causal in (False, True):
    case("attention_bias", f"attention_bias(T = f64, U = f64, causal = {str(causal).lower()})",
         lambda q, k, v, bias, c=causal: attend(np.where(sees(q.shape[2], k.shape[2], c), scores(q, k) + bias, -inf), v), GQA)
case("attention_batch_bias", "attention_batch_bias(T = f64, U = f64)",
     lambda q, k, v, bias: attend(scores(q, k) + bias, v), GQA)


def merged(o1, l1, o2, l2):
    m = np.maximum(l1, l2)
    a, b = np.exp(l1 - m), np.exp(l2 - m)
    return (a[..., None] * o1 + b[..., None] * o2) / (a + b)[..., None], m + np.log(a + b)


case("attention_merge", "attention_merge(T = f64, B = [P])", merged)
case("attention_scores", "attention_scores(T = f64)", lambda q, k: scores(q, k), sized("BGRMND"))
case("attend", "attend(T = f64)", attend, sized("BGRMNE"))
case("segment_mask", "segment_mask(I = i32)", lambda q_seg, k_seg: q_seg[:, :, None] == k_seg[:, None],
     draw=dict(q_seg=ints(0, 3), k_seg=ints(0, 3)))

# ---- softmax of given scores ----
case("scale_mask_softmax", "scale_mask_softmax(T = f64, B = [M])",
     lambda x, mask, scale, fill: softmax(np.where(mask, x * scale, fill)), [dict(M=9, N=7), dict(M=1, N=1), dict(M=0, N=3)],
     scalars=dict(scale=.5, fill=-10000))
case("scale_mask_softmax", "scale_mask_softmax(T = f64, B = [M])",
     lambda x, mask, scale, fill: softmax(np.where(mask, x * scale, fill)), [dict(M=9, N=2)], scalars=dict(scale=2, fill=.1))


def softmax_grad(y, dy, mask, scale):
    """By the Jacobian."""
    j = np.einsum("mi,ij->mij", y, np.eye(y.shape[1])) - np.einsum("mi,mj->mij", y, y)
    return np.where(mask, scale * np.einsum("mij,mj->mi", j, dy), 0)


case("scale_mask_softmax_grad", "scale_mask_softmax_grad(T = f64, B = [M])", softmax_grad,
     [dict(M=5, N=7), dict(M=1, N=1)], scalars=dict(scale=.5))
for k, fill in ((0, -inf), (1, -10000), (-1, .5)):
    case("scale_tril_softmax", "scale_tril_softmax(T = f64, B = [P])",
         lambda x, diagonal, scale, fill: softmax(np.where(np.tri(*x.shape[1:], diagonal, dtype=bool), x * scale, fill)),
         [dict(P=2, M=5, N=5), dict(P=2, M=3, N=6)], scalars=dict(diagonal=k, scale=.7, fill=fill))
case("scale_mask_bias_softmax", "scale_mask_bias_softmax(T = f64)",
     lambda x, mask, bias, scale: softmax(x * scale + mask[:, None, None] + bias), sized("BHMN"), scalars=dict(scale=.3))


def dropped(x, bias, mask, keep, scale, fill, rate):
    p = softmax(np.where(mask[:, None, None], (x + bias) * scale, fill))
    return np.where(keep, p / (1 - rate), 0), p


case("bias_scale_mask_softmax_dropout", "bias_scale_mask_softmax_dropout(T = f64)", dropped, sized("BHMN"),
     scalars=dict(scale=2, fill=-10000, rate=.25))

# ---- keys and values kept from before ----
case("concat_past", "concat_past(T = f64)", lambda past, new: np.concatenate((past, new), 2))
case("concat_past_kv", "concat_past_kv(T = f64)",
     lambda past_k, past_v, k, v: (np.concatenate((past_k, k), 2), np.concatenate((past_v, v), 2)))


def appended(cache, new, at):
    y = cache.copy()
    y[:, :, at:at + new.shape[2]] = new
    return y, at + new.shape[2]


case("kv_append", "kv_append(T = f64)", appended, [dict(B=2, H=3, L=9, D=4, M=2, at=5), dict(B=1, H=1, L=1, D=1, M=1, at=0),
                                                   dict(B=1, H=1, L=4, D=3, M=0, at=4)])


def cached(q, k, v, len):
    m = q.shape[2]
    return np.concatenate([attention(q[b:b + 1], k[b:b + 1, :, :n], v[b:b + 1, :, :n], causal=True, lower_right=True)
                           for b, n in enumerate(len)])


case("attention_cached", "attention_cached(T = f64, I = i32)", cached,
     [dict(B=3, G=2, R=2, M=1, D=4, L=9, E=5), dict(B=2, G=1, R=3, M=4, D=4, L=9, E=5)], dict(len=ints("M", "L + 1")))


def paged(q, k, v, table, len):
    def run(b):
        at = (table[b, :, None] * k.shape[1] + np.arange(k.shape[1])).reshape(-1)[:len[b]]
        kb, vb = (x.reshape(-1, *x.shape[2:])[at].swapaxes(0, 1)[None] for x in (k, v))
        return attention(q[b][None, :, None], kb, vb)[0, :, 0]
    return np.stack([run(b) for b in range(q.shape[0])])


case("attention_paged", "attention_paged(T = f64, I = i32)", paged,
     [dict(B=3, G=2, R=2, D=4, P=7, S=4, E=5, C=3), dict(B=1, G=1, R=1, D=1, P=1, S=1, E=1, C=1)],
     dict(table=ints(0, "P"), len=ints(1, "S*C + 1")))

STARTS = dict(q_start=lambda rng, shape, d: np.array([0, 2, 2, 7]), k_start=lambda rng, shape, d: np.array([0, 3, 4, 9]),
              seq=lambda rng, shape, d: np.array([0, 0, 2, 2, 2, 2, 2]))


def varlen(q, k, v, q_start, k_start, causal):
    parts = []
    for b in range(3):
        x, y, z = (a[s[b]:s[b + 1]].swapaxes(0, 1)[None] for a, s in ((q, q_start), (k, k_start), (v, k_start)))
        if x.shape[2]:
            parts.append(attention(x, y, z, causal=causal)[0].swapaxes(0, 1))
    return np.concatenate(parts)


for causal in (False, True):
    case("attention_varlen", f"attention_varlen(T = f64, I = i32, causal = {str(causal).lower()})",
         lambda q, k, v, q_start, k_start, c=causal: varlen(q, k, v, q_start, k_start, c),
         [dict(M=7, N=9, B=3, G=2, R=2, D=4, E=5)], STARTS)
case("sequence_of", "sequence_of(I = i32)", lambda start, M: np.searchsorted(start[1:], np.arange(M), "right"),
     [dict(B=4, M=9), dict(B=1, M=3)], dict(start=lambda rng, shape, d: np.sort(np.r_[0, rng.integers(0, 10, shape[0] - 1)])))
case("repeat_kv", "repeat_kv(T = f64)", lambda x, R: x.repeat(R, 1))


# ---- positions ----
def table(pos, base, D):
    a = np.outer(pos, float(base) ** (-np.arange(D) / D))
    return np.cos(a), np.sin(a)


def complex_of(c, s):
    return c + 1j * s


def rope(x, c, s, inverse=False):
    d = c.shape[-1]
    z = (x[..., :d] + 1j * x[..., d:2 * d]) * (complex_of(c, -s) if inverse else complex_of(c, s))
    return np.concatenate([z.real, z.imag, x[..., 2 * d:]], -1)


case("rope_table", "rope_table(T = f64, I = i32)", table, [dict(S=5, D=4), dict(S=1, D=1)], scalars=dict(base=10000))
case("rope_table", "rope_table(T = f64, I = i32)", table, [dict(S=5, D=4)], scalars=dict(base=500))
case("rope", "rope(T = f64, U = f64, B = [P])", rope)
case("rope_grad", "rope_grad(T = f64, U = f64, B = [P])", lambda dy, c, s: rope(dy, c, s, True))
case("rope_partial", "rope_partial(T = f64, U = f64, B = [P])", rope)


def interleaved(x, c, s):
    z = (x[..., ::2] + 1j * x[..., 1::2]) * complex_of(c, s)
    return np.stack([z.real, z.imag], -1).reshape(x.shape)


case("rope_interleaved", "rope_interleaved(T = f64, U = f64, B = [N])", interleaved)
case("rope_at", "rope_at(T = f64, U = f64, I = i32)", lambda x, c, s, pos: rope(x, c[pos][:, None], s[pos][:, None]),
     [dict(B=2, H=3, S=4, D=2, P=9), dict(B=1, H=1, S=1, D=1, P=1)], dict(pos=ints(0, "P")))
case("sinusoidal_positions", "sinusoidal_positions(T = f64)",
     lambda S, D: np.concatenate(table(np.arange(S), 10000, D)[::-1], 1), [dict(S=9, D=4), dict(S=1, D=1)])


def bucket(distance, bidirectional, buckets, most):
    """transformers' T5Attention._relative_position_bucket, with its f32."""
    r = 0
    if bidirectional:
        buckets //= 2
        r = (distance > 0) * buckets
        distance = np.abs(distance)
    else:
        distance = -np.minimum(distance, 0)
    exact = buckets // 2
    f = np.float32
    far = exact + (np.log(np.maximum(distance, 1).astype(f) / f(exact)) / f(math.log(most / exact)) *
                   f(buckets - exact)).astype(int)
    return r + np.where(distance < exact, distance, np.minimum(far, buckets - 1))


# The distances at which the logarithm is a whole number are left out: f32 may take either side there.
FAR = np.array([d for d in range(-200, 201) if abs(d) not in (8, 16, 32, 64, 128)])
for two in (True, False):
    text = f"bidirectional = {str(two).lower()}"
    case("t5_bucket", f"export fn it(d: i64[N]) -> (y: i64[N]) {{ y[n] = t5_bucket(d[n], {text}); }}",
         lambda d, t=two: bucket(d, t, 32, 128), [dict(N=len(FAR))], dict(d=lambda rng, shape, dims: FAR))
    case("t5_bias", f"t5_bias(T = f64, {text}, buckets = 12, max_distance = 19)", lambda table, M, N, t=two: np.moveaxis(
        table[bucket(np.arange(N) - np.arange(M)[:, None], t, 12, 19)], -1, 0), [dict(H=3, M=9, N=30), dict(H=1, M=1, N=1)])


def slopes(n):
    """The authors' get_slopes."""
    def power(n):
        start = 2 ** (-2 ** -(math.log2(n) - 3))
        return [start * start ** i for i in range(n)]
    if math.log2(n).is_integer():
        return power(n)
    below = 2 ** math.floor(math.log2(n))
    return power(below) + slopes(2 * below)[0::2][:n - below]


HEADS = [dict(N=n) for n in (1, 2, 3, 8, 12, 16, 40, 71)]
case("alibi_slope", "export fn it(x: f64[N]) -> (y: f32[N]) { y[n] = alibi_slope(n, N); }", lambda N: np.array(slopes(N)), HEADS)
case("alibi_bias", "alibi_bias(T = f64)", lambda H, M, N: np.float32(slopes(H)).astype(float)[:, None, None] * (
    np.arange(N) - np.arange(M)[:, None] - (N - M)), [dict(H=12, M=4, N=7), dict(H=1, M=1, N=1)])


def swin(table, P=2, Q=3):
    i = np.stack(np.meshgrid(np.arange(P), np.arange(Q), indexing="ij"), -1).reshape(-1, 2)
    d = i[:, None] - i[None] + [P - 1, Q - 1]
    return np.moveaxis(table[d[..., 0] * (2 * Q - 1) + d[..., 1]], -1, 0)


case("swin_bias", "swin_bias(T = f64, P = 2, Q = 3)", swin, [dict(H=4)])


# ---- layers ----
def heads(x, h):
    return x.reshape(x.shape[0], x.shape[1], h, -1).swapaxes(1, 2)


def joined(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


case("qkv_heads", "qkv_heads(T = f64)", lambda x, w, b, H: tuple(heads(y, H) for y in np.split(x @ w.T + b, 3, -1)),
     [dict(B=2, S=5, C=7, H=3, D=4), dict(B=1, S=1, C=1, H=1, D=1)])
for causal in (False, True):
    case("self_attention", f"self_attention(T = f64, causal = {str(causal).lower()})",
         lambda x, wqkv, bqkv, wo, bo, H, c=causal: joined(attention(
             *(heads(y, H) for y in np.split(x @ wqkv.T + bqkv, 3, -1)), causal=c)) @ wo.T + bo,
         [dict(B=2, S=5, H=3, D=4), dict(B=1, S=1, H=1, D=1)])
case("cross_attention", "cross_attention(T = f64)", lambda x, context, wq, wk, wv, wo, bo, H: joined(attention(
    heads(x @ wq.T, H), heads(context @ wk.T, H), heads(context @ wv.T, H))) @ wo.T + bo,
     [dict(B=2, M=5, C=7, N=4, K=6, H=3, D=2), dict(B=1, M=1, C=1, N=1, K=1, H=1, D=1)])


def linear(q, k, v, eps):
    f = lambda x: np.where(x > 0, x + 1, np.exp(x))
    w = np.einsum("bhid,bhjd->bhij", f(q), f(k))
    return np.einsum("bhij,bhje->bhie", w, v) / (w.sum(-1, keepdims=True) + eps)


case("linear_attention", "linear_attention(T = f64)", linear, sized("BHMNDE"), scalars=dict(eps=1e-3))
