#!/usr/bin/env python3
"""Times the suite on this machine's GPU: tdc beside PyTorch, torch.compile and XLA, by one protocol, and checks results.

  python3 bench/measure.py run [--only REGEX] [--versions fixed,hint,bare,hand] [--peers eager,compile,autotune,xla]
                               [--json FILE] [--seconds N]
  python3 bench/measure.py table FILE.json [--all]            # the table in README.md, from what run kept

Needs nvcc, tdc (as tdlang finds it) and PyTorch; JAX for xla. Programs are suite/NAME.td, in these versions:

  fixed  every length is given to tdc (-D N=4096)
  hint   lengths stay symbolic, and `dim N hint 4096;` says what they usually are
  bare   lengths stay symbolic and nothing is said of them: no dim, bench or check line
  hand   the kernel text tests/kernels/NAME.kernel, where there is one

The protocol: 256 MB are written to flush the L2 cache, the GPU is idle, one call is made; its time goes from the start
of its first kernel or copy to the end of its last, as CUPTI reports them, whoever launched them. A figure is the median
of such calls. The floor is, by the same protocol, a device-to-device copy that moves the bytes that the case must move
at least or, for matrix cases, its operations at the rate of an 8192 x 8192 x 8192 product of bf16. Figures are ratios to
the floor of the same run. An error is ||out - ref|| / ||ref|| of the worst output, the reference being the case's
expression in float64 (float32 for matrix cases); outputs are filled with NaN before.
"""
import argparse
import concurrent.futures
import gc
import glob
import json
import math
import os
import re
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = ("fixed", "hint", "bare", "hand")
PEERS = ("eager", "compile", "autotune", "xla")
FLUSH_BYTES = 256 << 20  # several times the L2 cache of any GPU yet
CALLS = 15  # that a median is taken of; fewer where one takes longer than SLOW_US
SLOW_US = 20000
SHOWN = """bias_gelu rotary softmax_4k softmax_128k layernorm layernorm_bwd cross_entropy
    cross_entropy_fwd_bwd groupnorm_nhwc_silu argmax_rows
    transpose_2d embedding scatter_rows embedding_bwd embedding_bwd.zipf segment_mean bincount
    touched_rows_fast topk_8 sort_rows sort_1e7 adamw_multi int8_weight_m1 gemm_8k linear_gelu attn_d128
    conv3x3_nhwc_silu""".split()  # in README.md's table: some of each kind, the worst ones among them


# ---- programs ----

def entry_of(name):
    """Of a case: inputs of one program may be drawn in several ways, as NAME and NAME.how."""
    return name.partition(".")[0]


def program(name):
    with open(os.path.join(HERE, "suite", entry_of(name) + ".td"), encoding="utf-8") as f:
        return f.read()


def sizes_of(text):
    """The dimensions and scalars of the bench line."""
    line = re.search(r"^bench \w+\(([^)]*)\)", text, re.M).group(1)
    return {k.strip(): float(v) if "." in v else int(v) for k, v in (x.split("=") for x in line.split(","))}


def without_sizes(text):
    """Without what says how long dimensions are: their ranges stay, which the program may need to be legal."""
    return re.sub(r"^(bench|check|dim \w+ hint) [^;]*;[^\n]*\n", "", text, flags=re.M)


def version(name, which):
    """The source and the options of tdlang.build; None where there is no such version."""
    text = program(name)
    if which == "hand":
        path = os.path.join(HERE, "..", "tests", "kernels", name + ".kernel")
        return (path, {}) if os.path.exists(path) else None
    shapes = " ".join(re.findall(r"\[([^]]*)\]", text[:text.index("{")]))
    dims = {d: n for d, n in sizes_of(text).items() if re.search(rf"\b{d}\b", shapes)}
    if which == "fixed":
        return text, dict(defines=dims)
    said = set(re.findall(r"^dim (\w+)", text, re.M)) if which == "hint" else dims
    return "".join(f"dim {d} hint {n};\n" for d, n in dims.items() if d not in said) + without_sizes(text), {}


def build_all(names, versions):
    """(name, version) -> a model, or the exception that says why there is none."""
    import tdlang
    wanted = {(n, v): version(n, v) for n in names for v in versions}

    def one(key):
        source, options = wanted[key]
        try:
            return tdlang.build(source, target="cuda", includes=[os.path.join(HERE, "suite")], **options)
        except Exception as e:  # reported with the case
            return e
    keys = [k for k in wanted if wanted[k]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(keys, pool.map(one, keys)))


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

def widened(x, t):
    if isinstance(x, (list, tuple)):
        return type(x)(widened(y, t) for y in x)
    return x.to(t) if x.is_floating_point() else x


def distance(outs, refs):
    """||out - ref|| / ||ref|| of the worst output; of integers, the share that differs."""
    worst = 0.0 if len(outs) == len(refs) else math.inf
    for a, b in zip(outs, refs):
        a, b = a.reshape(-1), b.reshape(-1)
        if a.numel() != b.numel():
            return math.inf
        if not a.is_floating_point():
            worst = max(worst, int((a != b).sum()) / max(a.numel(), 1))
            continue
        num = den = 0.0
        for i in range(0, a.numel(), 1 << 27):
            x, y = a[i:i + (1 << 27)].double(), b[i:i + (1 << 27)].double()
            num, den = num + float((x - y).square().sum()), den + float(y.square().sum())
        e = math.sqrt(num / den) if den else math.sqrt(num)
        worst = max(worst, e if math.isfinite(e) else math.inf)
    return worst


class Runner:
    def __init__(self):
        sys.path.insert(0, HERE)
        import torch
        import suite
        self.torch, self.suite, self.clock = torch, suite, Clock()
        torch.backends.cudnn.allow_tf32 = False

    def entry(self, model, name, args, outs):
        """A call of the entry on the case's inputs, and the tensors that it fills."""
        torch, e = self.torch, model[entry_of(name)]
        ins = self.suite.flat(list(args))
        numbers = {d["name"]: sizes_of(program(name))[d["name"]] for d in e.dimensions if d["from"] != "inputs"}
        numbers |= {s["name"]: sizes_of(program(name))[s["name"]] for s in e.scalars if s["default"] is None}
        directions = [t["direction"] for t in e.tensors if t["direction"] != "out"]
        if "inout" not in directions:
            fresh = [torch.full_like(t, math.nan if t.is_floating_point() else -77) for t in outs]
            return (lambda: e(*ins, out=tuple(fresh), **numbers)), fresh
        given = [x.clone() if d == "inout" else x for x, d in zip(ins, directions)]
        names = [t["name"] for t in e.tensors if t["direction"] == "inout"]
        updated = dict(zip(e.inputs, given))
        order = sorted(names, key=lambda n: (int(re.sub(r"\D", "", n) or 0), "pmv".find(n[0])))  # as the case lists them
        return (lambda: e(*given, **numbers)), [updated[n] for n in order]

    def peer(self, which, case, args):
        torch = self.torch
        if which == "eager":
            return lambda: case.fn(*args)
        if which == "xla":
            os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
            os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.4")  # its pool only grows
            import jax
            import suite_xla
            if case.name not in suite_xla.CASES:
                return None
            to_jax = lambda t: jax.dlpack.from_dlpack(t.int() if t.dtype == torch.int64 else t)
            ins = [to_jax(t) for t in self.suite.flat(list(args))]
            f = suite_xla.CASES[case.name]
            return lambda: jax.block_until_ready(f(*ins))
        torch._dynamo.reset()
        mode = {"autotune": "max-autotune-no-cudagraphs"}.get(which)
        f = torch.compile(case.fn, dynamic=False, mode=mode)
        return lambda: f(*args)

    def results(self, outs):
        from_any = lambda t: t if isinstance(t, self.torch.Tensor) else self.torch.from_dlpack(t)
        return [from_any(t) for t in self.suite.flat(list(outs) if isinstance(outs, (list, tuple)) else [outs])]

    def case(self, name, models, versions, peers):
        torch, case = self.torch, self.suite.CASES[name]
        torch.manual_seed(1)
        args = case.make()
        outs = self.results(case.fn(*args))
        refs = self.results(case.reference(*widened(list(args), case.wide)))
        row = dict(kind=case.kind, tol=case.tol, floor_us=max(self.clock.copy(case.floor_bytes(args, outs)),
                                                            case.flops / self.tflops / 1e6))
        for v in versions:
            model = models.get((name, v))
            if model is None:
                continue
            try:
                if isinstance(model, Exception):
                    raise model
                call, mine = self.entry(model, name, args, outs)
                call()
                torch.cuda.synchronize()
                row[v + "_error"] = distance(mine, refs)
                row[v + "_us"] = self.clock.us(call)
            except Exception as e:
                row[v + "_failed"] = f"{type(e).__name__}: {e}"[:300]
            call = mine = None
        for p in peers:
            try:
                call = self.peer(p, case, args)
                if call:
                    row[p + "_error"] = distance(self.results(call()), refs)
                    row[p + "_us"] = self.clock.us(call)
            except Exception as e:
                row[p + "_failed"] = f"{type(e).__name__}: {e}"[:300]
            call = None
        return row


def run(o):
    begun = time.time()
    runner = Runner()
    torch = runner.torch
    versions, peers = ([x for x in s.split(",") if x] for s in (o.versions, o.peers))
    names = [n for n in runner.suite.CASES if re.search(o.only, n)]
    models = build_all(names, versions)
    print(f"# built {len(models)} models in {time.time() - begun:.0f} s", flush=True)
    runner.tflops = runner.clock.tflops()
    data = dict(device=torch.cuda.get_device_name(), torch=torch.__version__, tflops=runner.tflops,
                copy_tbs=(4 << 30) / runner.clock.copy(4 << 30) / 1e6, rows={})
    if "xla" in peers:
        import jax
        data["jax"] = jax.__version__
    print(f"# {data['device']}, torch {data['torch']}, copy {data['copy_tbs']:.2f} TB/s, bf16 {data['tflops']:.0f} TFLOP/s")
    print(f"{'case':22}{'floor us':>9} |" + "".join(f"{k:>9}" for k in versions + peers) + "   over the floor", flush=True)
    bad = 0
    for name in names:
        if time.time() - begun > o.seconds:
            print(f"# no time left at {name}")
            break
        try:
            row = runner.case(name, models, versions, peers)
        except Exception as e:
            print(f"{name:22} {type(e).__name__}: {str(e)[:200]}", flush=True)
            bad += 1
            continue
        finally:
            for v in versions:  # with their workspaces
                models.pop((name, v), None)
            gc.collect()  # what stands in circles holds memory of the GPU, too
            torch.cuda.empty_cache()
        data["rows"][name] = row
        cell = lambda k: f"{row[k + '_us'] / row['floor_us']:9.2f}" if k + "_us" in row else f"{'-':>9}"
        print(f"{name:22}{row['floor_us']:9.1f} |" + "".join(map(cell, versions + peers)), flush=True)
        for k in versions + peers:
            wrong = k in versions and row.get(k + "_error", 0) > row["tol"]
            bad += wrong or k in versions and k + "_failed" in row
            if wrong or k + "_failed" in row:
                print(f"    {k}: {row.get(k + '_failed') or 'WRONG, error %.1e' % row[k + '_error']}", flush=True)
        if o.json:
            with open(o.json + ".new", "w") as f:
                json.dump(data, f, indent=1)
            os.replace(o.json + ".new", o.json)
    summary(data["rows"], versions, peers)
    print(f"{len(data['rows']) - bad} passed, {bad} failed, {time.time() - begun:.0f} s")
    return bad != 0


def geomean(v):
    return math.exp(sum(map(math.log, v)) / len(v)) if v else math.nan


def summary(rows, versions, peers):
    for kind in ("memory", "matrix"):
        some = [r for r in rows.values() if r["kind"] == kind]
        means = {k: geomean([r[k + "_us"] / r["floor_us"] for r in some if k + "_us" in r]) for k in versions + peers}
        print(f"# {kind}, {len(some)} cases, geometric means over the floor: " +
              ", ".join(f"{k} {v:.2f}" for k, v in means.items() if not math.isnan(v)))


# ---- the table ----

def mean_of(rows, column):
    """The geometric mean over the floor, and of how many cases where some lack the figure."""
    have = [r[column + "_us"] / r["floor_us"] for r in rows if column + "_us" in r]
    return f"*{geomean(have):.2f}*" + (f" ({len(have)})" if len(have) < len(rows) else "") if have else "–"


def table(o):
    """In Markdown, for README.md: what run kept, and nothing that it did not measure."""
    with open(o.file, encoding="utf-8") as f:
        data = json.load(f)
    rows = data["rows"]
    columns = [k for k in ("fixed", "hint", "bare") + PEERS if any(k + "_us" in r for r in rows.values())]
    titles = dict(fixed="lengths fixed", hint="hinted", bare="unsaid", eager="PyTorch", compile="torch.compile",
                  autotune="max-autotune", xla="XLA")
    print("| case | floor, µs | " + " | ".join(titles[c] for c in columns) + " |")
    print("|---|" + "---|" * (len(columns) + 1))
    cell = lambda r, k: f"{r[k + '_us'] / r['floor_us']:.2f}" if k + "_us" in r else "–"
    for name, r in rows.items():
        if not o.all and name not in SHOWN:
            continue
        print(f"| {name} | {r['floor_us']:.1f} | " + " | ".join(cell(r, k) for k in columns) + " |")
    for kind in ("memory", "matrix"):
        some = [r for r in rows.values() if r["kind"] == kind]
        if not some:
            continue
        print(f"| *{len(some)} {kind} cases* | | " + " | ".join(mean_of(some, k) for k in columns) + " |")
    return 0


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = ap.add_subparsers(dest="verb", required=True)
    p = verbs.add_parser("run")
    p.add_argument("--only", default="", metavar="REGEX")
    p.add_argument("--versions", default=",".join(VERSIONS))
    p.add_argument("--peers", default="eager,compile")
    p.add_argument("--seconds", type=float, default=math.inf, help="begin no case after that")
    p.add_argument("--json", metavar="FILE")
    p = verbs.add_parser("table")
    p.add_argument("file")
    p.add_argument("--all", action="store_true", help="not only the cases that README.md shows; means are always of all")
    o = ap.parse_args()
    return dict(run=run, table=table)[o.verb](o)


if __name__ == "__main__":
    sys.exit(main())
