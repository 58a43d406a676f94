"""What the measurements share: suites of programs and their versions, builds of many at once, the clock, and how far
results are from the reference. measure.py says what the protocol is.
"""
import concurrent.futures
import importlib
import json
import math
import os
import re
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = ("fixed", "hint", "bare", "hand")
FLUSH_BYTES = 256 << 20  # several times the L2 cache of any GPU yet
CALLS = 15  # that a median is taken of; fewer where one takes longer than SLOW_US
SLOW_US = 20000


# ---- programs ----

def entry_of(name):
    """Of a case: inputs of one program may be drawn in several ways, as NAME and NAME.how."""
    return name.partition(".")[0]


def without_sizes(text):
    """Without what says how long dimensions are: their ranges stay, which the program may need to be legal."""
    text = re.sub(r"^(bench|check|dim \w+ hint) [^;]*;[^\n]*\n", "", text, flags=re.M)
    return re.sub(r"^(dim [^;]*?) hint \w+", r"\1", text, flags=re.M)


class Suite:
    """The programs of a folder beside this file, NAME/*.td, and their cases, of NAME.py, which needs PyTorch."""

    def __init__(self, name):
        self.name, self.folder = name, os.path.join(HERE, name)

    def cases(self):
        sys.path.insert(0, HERE)
        return importlib.import_module(self.name).CASES

    def program(self, name):
        with open(os.path.join(self.folder, entry_of(name) + ".td"), encoding="utf-8") as f:
            return f.read()

    def sizes(self, name, line="bench"):
        """The dimensions and scalars of the bench line, or of the first of another kind."""
        given = re.search(rf"^{line} \w+\(([^)]*)\)", self.program(name), re.M).group(1)
        return {k.strip(): float(v) if "." in v else int(v) for k, v in (x.split("=") for x in given.split(","))}

    def dimensions(self, name):
        """Those of the bench line that shapes of the header have."""
        text = self.program(name)
        header = re.search(r"^export fn [^{]*", text, re.M).group(0)
        shapes = " ".join(re.findall(r"\[([^]]*)\]", header))
        return {d: n for d, n in self.sizes(name).items() if re.search(rf"\b{d}\b", shapes)}

    def version(self, name, which):
        """The source and the options of tdlang.build; None where there is no such version."""
        text, dims = self.program(name), self.dimensions(name)
        if which == "hand":
            path = os.path.join(HERE, "..", "tests", "kernels", name + ".kernel")
            return (path, {}) if os.path.exists(path) else None
        if which == "fixed":
            return text, dict(defines=dims)
        hints = "".join(f"dim {d} hint {n};\n" for d, n in dims.items()) if which == "hint" else ""
        return hints + without_sizes(text), {}

    def build(self, wanted, target="cuda"):
        """wanted: any keys -> (source, options). The same keys -> a model, or the exception that says why not."""
        import tdlang

        def one(key):
            source, options = wanted[key]
            try:
                return tdlang.build(source, target=target, includes=[self.folder], **options)
            except Exception as e:  # reported with the case
                return e
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip(wanted, pool.map(one, wanted)))


# ---- the protocol ----

class Clock:
    def __init__(self):
        import torch
        self.torch = torch
        self.flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
        self.copies = {}

    def us(self, call):
        """The median of several calls; `call` runs to its end on the GPU before the next begins."""
        call()
        call()
        first = self._spans(call, 1)[0]
        return first if first > 50 * SLOW_US else statistics.median(self._spans(call, 3 if first > SLOW_US else CALLS))

    def _spans(self, call, n):
        """Each call lies between two marks, kernels of a name of their own; the write that flushes stands before one."""
        torch = self.torch
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA], acc_events=True) as p:
            for i in range(n + 1):
                self.flush.zero_()
                torch.cuda._sleep(1000)
                torch.cuda.synchronize()
                if i < n:
                    call()
                    torch.cuda.synchronize()
        events = [e for e in p.events() if e.device_type == torch.autograd.DeviceType.CUDA]
        events.sort(key=lambda e: e.time_range.start)
        marks = [i for i, e in enumerate(events) if "spin_kernel" in e.name]
        spans = []
        for a, b in zip(marks, marks[1:]):
            inside = events[a + 1:b - 1]  # the last before a mark flushes
            if inside:
                spans.append(max(e.time_range.end for e in inside) - inside[0].time_range.start)
        if len(spans) != n:
            raise RuntimeError(f"the profiler saw {len(spans)} of {n} calls")
        return spans

    def copy(self, nbytes):
        """A copy that moves so many bytes in all: half of them read, half written."""
        half = max(int(nbytes) // 2, 16)
        if half > (2 << 30):  # beyond this the time is proportional
            return self.copy(4 << 30) * half / (2 << 30)
        if not self.copies:
            self.copies = [self.torch.empty(2 << 30, device="cuda", dtype=self.torch.uint8) for _ in range(2)]
        a, b = (x[:half] for x in self.copies)
        return self.us(lambda: b.copy_(a))

    def tflops(self):
        """Of a product of 8192 x 8192 x 8192 in bf16."""
        a, b = (self.torch.randn(8192, 8192, device="cuda").bfloat16() for _ in range(2))
        return 2 * 8192 ** 3 / self.us(lambda: a @ b) / 1e6


# ---- results ----

def flat(x):
    """The tensors in nested lists and tuples, without the numbers beside them."""
    if isinstance(x, (list, tuple)):
        return [t for y in x for t in flat(y)]
    return [] if isinstance(x, (int, float)) else [x]


def like(t, offset=0):
    """Memory for a contiguous tensor of its type and shape, `offset` elements behind a large power of 2."""
    return t.new_empty(t.numel() + offset)[offset:].view(t.shape)


def widened(x, t):
    if isinstance(x, (list, tuple)):
        return type(x)(widened(y, t) for y in x)
    return x.to(t) if flat(x) and x.is_floating_point() else x


def least_step(dtype):
    """The least number above 0, as far apart as numbers of that type are near 0."""
    import torch
    info = torch.finfo(dtype)
    return info.smallest_normal * info.eps


def distance(outs, refs):
    """||out - ref|| / ||ref|| of the worst output, of the finite numbers, but for what the least steps of its type round
    (a softmax of 4 million elements in f16); of integers, the share that differs."""
    worst = 0.0 if len(outs) == len(refs) else math.inf
    for a, b in zip(outs, refs):
        a, b = a.reshape(-1), b.reshape(-1)
        if a.numel() != b.numel():
            return math.inf
        if not a.is_floating_point():
            worst = max(worst, int((a != b).sum()) / max(a.numel(), 1))
            continue
        num = den = 0.0
        half_step = least_step(a.dtype) / 2
        for i in range(0, a.numel(), 1 << 27):
            x, y = a[i:i + (1 << 27)].double(), b[i:i + (1 << 27)].double()
            same = (x == y) | x.isnan() & y.isnan()  # infinities and NaN, too
            num += float(((x - y).abs() - half_step).clamp_(min=0).masked_fill_(same, 0).square().sum())
            den += float(y.masked_fill(~y.isfinite(), 0).square().sum())
        e = math.sqrt(num / den) if den else math.sqrt(num)
        worst = max(worst, e if math.isfinite(e) else math.inf)
    return worst


def geomean(v):
    return math.exp(sum(map(math.log, v)) / len(v)) if v else math.nan


def keep(data, path):
    """As JSON; the file is whole at any time."""
    if path:
        with open(path + ".new", "w", encoding="utf-8") as f:
            json.dump(data, f, indent=1)
        os.replace(path + ".new", path)


class Runner:
    """Calls and times the cases of a suite."""

    def __init__(self, suite, clock=None):
        import torch
        self.torch, self.suite, self.cases, self.clock = torch, suite, suite.cases(), clock
        torch.backends.cudnn.allow_tf32 = False

    def entry(self, model, name, args, outs, sizes, offset=0):
        """A call of the entry on the case's inputs, and the tensors that it fills; `sizes` says what no input tells."""
        torch, e = self.torch, model[entry_of(name)]
        ins = flat(list(args))
        numbers = {d["name"]: sizes[d["name"]] for d in e.dimensions if d["from"] != "inputs"}
        numbers |= {s["name"]: sizes[s["name"]] for s in e.scalars if s["default"] is None}
        directions = [t["direction"] for t in e.tensors if t["direction"] != "out"]
        names = [t["name"] for t in e.tensors if t["direction"] == "inout"]
        fresh = [like(t, offset).fill_(math.nan if t.is_floating_point() else 77) for t in outs[len(names):]]
        if not names:
            return (lambda: e(*ins, out=tuple(fresh), **numbers)), fresh
        given = [x.clone() if d == "inout" else x for x, d in zip(ins, directions)]
        updated = dict(zip(e.inputs, given))
        # as the case lists them, what is updated first
        order = sorted(names, key=lambda n: (int(re.sub(r"\D", "", n) or 0), "pmv".find(n[0])))
        into = dict(out=tuple(fresh)) if fresh else {}
        return (lambda: e(*given, **into, **numbers)), [updated[n] for n in order] + fresh

    def results(self, outs):
        from_any = lambda t: t if isinstance(t, self.torch.Tensor) else self.torch.from_dlpack(t)
        return [from_any(t) for t in flat(list(outs) if isinstance(outs, (list, tuple)) else [outs])]

    def references(self, case, args):
        return self.results(case.reference(*widened(list(args), case.wide)))
