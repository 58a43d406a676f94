"""One bare build of a program at many sizes, beside a build for each size: what knowing the lengths is worth.

`measure.py sizes` runs it. A class is programs of one kind, the dimensions that its sizes give in this order, and the
sizes: powers of two, odd ones, primes, one row, very long rows, few long rows, many short ones. Behind `+` stands how
many elements behind an aligned address each tensor begins. The largest tensors have some 100 MB. The protocol is that
of `run`, and results are held to the case's expression in float64 and to those of the fixed build.

With `--drawn SEED` there are as many sizes that nobody chose in their place, one of six at odd addresses.
"""
import gc
import math
import random
import re
import time
import protocol
from protocol import distance, like

ROWS = """16384x1024 4096x4096 16381x1021 8192x2049 1x4194304 5x1000003 64x131072 127x50257 262144x64 1048573x7
    8192x2048+1 4099x1000+1"""
SHORT = """65536x256 65536x255 131072x128 262144x64 262139x61 524288x32 1048573x7 2097143x3 16384x1000 8000000x1
    32768x512+1 65537x100+1"""
LONG = """1024x16384 1021x16411 512x32768 511x32003 256x65536 128x131072 127x131071 64x262144 17x1000003 4x4194304
    1x16777216 255x65537+1"""
LABELS = """4096x4096 1024x32768 512x50257 256x128256 16381x1021 8192x2049 1x1000003 8x1048576 65536x128 524288x10
    512x50257+1 2048x8192+1"""
COLUMNS = """16384x1024 4096x4096 131072x128 16381x1021 1x4194304 3x1000003 262144x64 1048573x7 4194304x1 64x131072
    16384x1024+1 99991x96+1"""
SQUARES = """4096x4096 8192x2048 4093x4099 1x4194304 4194301x1 1000003x3 5x2000003 65536x64 64x131072 33x500009
    4096x4096+1 4093x1021+1"""
VECTORS = "1 1000 4096 65536 100003 262144 1000000 1048577 2000003 4194304 1048576+1 999983+1"
WHOLE = "1 1000 65536 100003 1000000 1048576 4194304 8388593 16777216 25000000 1048576+1 9999991+1"
HEADS = """4x1024x32x128 16x2048x8x64 1x4096x12x64 3x1021x7x65 8x511x16x80 1x1x4096x1024 1x65536x2x64 2048x2x16x128
    4096x17x3x33 1x1000003x3x2 4x1024x32x128+1 5x777x12x64+1"""
IMAGES = """16x64x64x64 8x320x32x32 64x3x128x128 1x1x2048x2048 31x17x61x67 1x7x1021x509 2048x512x2x2 4x1021x31x33
    1x1x1x4000037 3x1x999983x1 16x64x64x64+1 5x33x127x129+1"""
MASKED = """4x16x256x256 16x8x128x512 8x12x512x512 1x1x4096x4096 3x5x127x1021 2x3x509x2049 64x16x64x64 512x12x37x37
    1x1x1x4194304 1x2x3x1000003 4x16x256x256+1 7x3x101x777+1"""
GROUPS = """16x64x64x10 16x32x32x20 4x128x128x4 64x16x16x40 8x61x67x3 1x256x256x8 1x1x1x1000 4096x4x4x8 333x7x7x24
    2x1021x127x1 8x64x64x10+1 5x33x31x7+1"""
TABLES = """50257x768x16384 50304x1024x16384 12000x4096x4096 1000003x16x500009 30522x127x99991 11x8191x1021 1x1024x16384
    65536x2x4194301 1000000x1x4000037 512x65537x64 50257x768x16384+1 997x100x100003+1"""
CLASSES = (  # programs, dimensions, sizes
    ("bias_gelu fast_gelu_mul quick_gelu softmax_4k layernorm add_rmsnorm argmax_rows cumsum_rows", "M N", ROWS),
    ("softmax_1k layernorm_odd", "M N", SHORT),
    ("softmax_32k softmax_128k", "M N", LONG),
    ("cross_entropy", "M V", LABELS),
    ("column_sum", "M N", COLUMNS),
    ("transpose_2d", "M N", SQUARES),
    ("ciou", "N", VECTORS),
    ("bce_logits_mean", "N", WHOLE),
    ("permute_0213", "B S H D", HEADS),
    ("weighted_sum4 nchw_to_nhwc upsample2x upsample2x_bwd", "N C H W", IMAGES),
    ("mask_softmax", "B H M N", MASKED),
    ("groupnorm_nhwc_silu", "N H W 32*K", GROUPS),  # the elements that one more makes
    ("embedding", "V D N", TABLES))
TOGETHER = 5  # programs are built at once, with all their sizes
WORST, MEAN = 1.4, 1.08  # of bare over fixed: what is called slow


DRAWN, DISPLACED = 12, 2  # sizes of a program, and how many of them begin at odd elements
LEAST_BITS, MOST_BITS = 19, 25  # of the elements that lengths make together


def length(rng, bits):
    """Two of five are powers of two, a third multiples of eight, the others odd or short."""
    n, kind = int(2 ** bits), rng.random()
    if kind < 0.4:
        return 1 << max(0, round(bits))
    return max(n // 8 * 8 if kind < 0.75 and n >= 8 else n | (kind >= 0.75), 1)


def draw(rng, dims, times=None):
    """Shares out so many elements to the lengths at random; times: the elements that one more of a length makes."""
    times = times or {}
    bits, shares = rng.uniform(LEAST_BITS, MOST_BITS), [rng.random() + 0.15 for _ in dims]
    return {d: length(rng, max(bits * s / sum(shares) - math.log2(times.get(d, 1)), 0)) for d, s in zip(dims, shares)}


def points(seed=None):
    """(program, size) -> the dimensions, and how far tensors are from aligned. seed: sizes are drawn."""
    found = {}
    rng = random.Random(seed)
    for names, lengths, sizes in CLASSES:
        times = {d.split("*")[-1]: int(d.split("*")[0]) if "*" in d else 1 for d in lengths.split()}
        for name in names.split():
            for i in range(DRAWN if seed is not None else 0):
                dims, offset = draw(rng, times, times), int(i >= DRAWN - DISPLACED)
                found[name, "x".join(map(str, dims.values())) + "+1" * offset] = dims, offset
            for size in sizes.split() if seed is None else ():
                given, _, offset = size.partition("+")
                found[name, size] = dict(zip(times, map(int, given.split("x")), strict=True)), int(offset or 0)
    return found


def shifted(x, offset):
    return [shifted(y, offset) for y in x] if isinstance(x, (list, tuple)) else like(x, offset).copy_(x)


class Sizes(protocol.Runner):
    def __init__(self, suite):
        super().__init__(suite, protocol.Clock())
        self.copies = {}

    def floor(self, nbytes):
        if nbytes not in self.copies:
            self.copies[nbytes] = self.clock.copy(nbytes)
        return self.copies[nbytes]

    def point(self, name, dims, offset, models):
        """models: fixed and bare. What they took, and how far they are from the reference and from each other."""
        case = self.cases[name]
        self.torch.manual_seed(1)
        args = shifted(case.at(dims), offset)
        outs = self.results(case.fn(*args))
        row = dict(tol=case.tol, floor_us=self.floor(case.floor_bytes(args, outs)))
        refs, first = self.references(case, args), None
        for v, model in models.items():
            try:
                if isinstance(model, Exception):
                    raise model
                call, mine = self.entry(model, name, args, outs, dims, offset)
                call()
                row[v + "_error"] = max([distance(mine, refs)] + ([distance(mine, first)] if first else []))
                row[v + "_us"] = self.clock.us(call)
                first = first or mine
            except Exception as e:
                row[v + "_failed"] = f"{type(e).__name__}: {e}"[:300]
        return row


def said(row):
    """What is wrong with a size, or None."""
    for v in ("fixed", "bare"):
        if v + "_failed" in row:
            return f"{v}: {row[v + '_failed']}"
        if row[v + "_error"] > row["tol"]:
            return f"{v}: WRONG, error {row[v + '_error']:.1e}"
    return None


def ratios_of(rows):
    both = {size: r for size, r in rows.items() if "bare_us" in r and "fixed_us" in r}
    return sorted((r["bare_us"] / r["fixed_us"], size) for size, r in both.items())


def summary(data):
    """One line for each program and one for all of them."""
    every = []
    for name, rows in data["rows"].items():
        ratios = ratios_of(rows)
        every += [(r, f"{name} {size}") for r, size in ratios]
        if ratios:
            print(f"# {name:22} {len(ratios):3} sizes: bare over fixed {protocol.geomean([r for r, _ in ratios]):.3f}, "
                  f"worst {ratios[-1][0]:.2f} ({ratios[-1][1]})")
    if every:
        every.sort(reverse=True)
        timed = [r for rows in data["rows"].values() for r in rows.values()]
        over = {v: protocol.geomean([r[v + "_us"] / r["floor_us"] for r in timed if v + "_us" in r])
                for v in ("fixed", "bare")}
        print(f"# all {len(every)} sizes: bare over fixed {protocol.geomean([r for r, _ in every]):.3f} (aim {MEAN}), "
              f"over the floor fixed {over['fixed']:.2f}, bare {over['bare']:.2f}")
        print(f"# beyond {WORST}: {sum(r > WORST for r, _ in every)}; worst: " +
              ", ".join(f"{r:.2f} {what}" for r, what in every[:10]))


def build(suite, names, chosen):
    """(program, size or None for the bare version) -> a model or an exception."""
    wanted = {(n, None): suite.version(n, "bare") for n in names}
    lengths = {}  # a fixed build serves every offset
    for (n, size), (dims, _) in chosen.items():
        if n in names:
            lengths.setdefault((n, tuple(dims.items())), []).append(size)
    for (n, dims), sizes in lengths.items():
        wanted[n, sizes[0]] = suite.program(n), dict(defines=dict(dims))
    models = suite.build(wanted)
    for (n, _), sizes in lengths.items():
        models.update({(n, s): models[n, sizes[0]] for s in sizes})
    return models


def measure(o):
    begun = time.time()
    suite = protocol.Suite("suite")
    runner = Sizes(suite)
    torch = runner.torch
    chosen = {k: p for k, p in points(o.drawn).items() if re.search(o.only, k[0])}
    programs = list(dict.fromkeys(n for n, _ in chosen))
    data = dict(device=torch.cuda.get_device_name(), torch=torch.__version__, rows={})
    print(f"# {data['device']}, torch {data['torch']}")
    bad = left = 0
    for at in range(0, len(programs), TOGETHER):
        names = programs[at:at + TOGETHER]
        some = {k: p for k, p in chosen.items() if k[0] in names}
        if time.time() - begun > o.seconds:
            left += len(some)
            continue
        models = build(suite, names, some)
        print(f"# built {' '.join(names)}, {time.time() - begun:.0f} s\n"
              f"{'program':22}{'size':>20}{'floor us':>10} |{'fixed':>8}{'bare':>8}   over the floor |"
              f"{'bare/fixed':>11}", flush=True)
        for (name, size), (dims, offset) in some.items():
            if time.time() - begun > o.seconds:
                left += 1
                continue
            try:
                row = runner.point(name, dims, offset, dict(fixed=models[name, size], bare=models[name, None]))
            except Exception as e:
                row = dict(floor_us=math.nan, tol=0, fixed_failed=f"{type(e).__name__}: {e}"[:300])
            data["rows"].setdefault(name, {})[size] = row
            cell = lambda v: f"{row[v + '_us'] / row['floor_us']:8.2f}" if v + "_us" in row else f"{'-':>8}"
            both = ratios_of({size: row})
            print(f"{name:22}{size:>20}{row['floor_us']:10.1f} |{cell('fixed')}{cell('bare')}{'':18}|" +
                  (f"{both[0][0]:11.2f}{' SLOW' if both[0][0] > WORST else ''}" if both else f"{'-':>11}"), flush=True)
            if said(row):
                bad += 1
                print(f"    {said(row)}", flush=True)
            protocol.keep(data, o.json)
        del models
        gc.collect()  # what stands in circles holds memory of the GPU, too
        torch.cuda.empty_cache()
    summary(data)
    if left:
        print(f"# no time left for {left} sizes")
    done = sum(map(len, data["rows"].values()))
    print(f"{done - bad} passed, {bad} failed, {time.time() - begun:.0f} s")
    return bad != 0
