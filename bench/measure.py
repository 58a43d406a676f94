#!/usr/bin/env python3
"""Times the suite on this machine's GPU: tdc beside PyTorch, torch.compile and XLA, by one protocol, and checks results.

  python3 bench/measure.py run [--suite NAME] [--only REGEX] [--versions fixed,hint,bare,hand]
                               [--peers eager,ordered,compile,autotune,xla] [--json FILE] [--seconds N]
  python3 bench/measure.py table FILE.json [--all]            # the table in README.md, from what run kept
  python3 bench/measure.py check [--suite NAME] [--only REGEX]   # on the CPU: do programs mean their expressions
  python3 bench/measure.py sizes [--only REGEX] [--drawn SEED] [--json FILE] [--seconds N]   # one bare build at many sizes: sizes.py

Needs nvcc, tdc (as tdlang finds it) and PyTorch; JAX for xla. Programs are suite/NAME.td (with --suite wide
wide/NAME.td, compositions that nothing was tuned for, judged beside torch.compile; with --suite plain plain/NAME.td, as
users write them, of all fields; with --suite places places/NAME.td, whose values go where data say), in these versions:

  fixed  every length is given to tdc (-D N=4096)
  hint   lengths stay symbolic, and `dim N hint 4096;` says what they usually are
  bare   lengths stay symbolic and nothing is said of them: no dim, bench or check line
  hand   the kernel text tests/kernels/NAME.kernel, where there is one

and beside PyTorch as it stands (eager), under torch.use_deterministic_algorithms (ordered: sums repeat bit by bit, as
tdc's do), compiled, compiled with max-autotune, and XLA.

The protocol: 256 MB are written to flush the L2 cache, the GPU is idle, one call is made; its time goes from the start
of its first kernel or copy to the end of its last, as CUPTI reports them, whoever launched them. A figure is the median
of such calls. The floor is, by the same protocol, a device-to-device copy that moves the bytes that the case must move
at least or, for matrix cases, its operations at the rate of an 8192 x 8192 x 8192 product of bf16. Figures are ratios to
the floor of the same run. An error is ||out - ref|| / ||ref|| of the worst output, the reference being the case's
expression in float64 (float32 for matrix cases); outputs are filled with NaN before.
"""
import argparse
import gc
import json
import math
import os
import re
import statistics
import sys
import time
import protocol
import sizes
from protocol import VERSIONS, distance, flat

PEERS = ("eager", "ordered", "compile", "autotune", "xla")
SHOWN = """bias_gelu rotary softmax_4k softmax_128k layernorm layernorm_bwd cross_entropy
    cross_entropy_fwd_bwd groupnorm_nhwc_silu argmax_rows
    transpose_2d embedding scatter_rows embedding_bwd embedding_bwd.zipf segment_mean bincount
    touched_rows_fast topk_8 sort_rows sort_1e7 adamw_multi int8_weight_m1 gemm_8k linear_gelu attn_d128
    conv3x3_nhwc_silu""".split()  # in README.md's table: some of each kind, the worst ones among them


# ---- cases beside their peers ----

class Peers(protocol.Runner):
    def peer(self, which, case, args):
        torch = self.torch
        torch.use_deterministic_algorithms(which == "ordered", warn_only=True)
        if which in ("eager", "ordered"):
            return lambda: case.fn(*args)
        if which == "xla":
            os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
            os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.4")  # its pool only grows
            import jax
            import suite_xla
            if self.suite.name != "suite" or case.name not in suite_xla.CASES:
                return None
            to_jax = lambda t: jax.dlpack.from_dlpack(t.int() if t.dtype == torch.int64 else t)
            ins = [to_jax(t) for t in flat(list(args))]
            f = suite_xla.CASES[case.name]
            return lambda: jax.block_until_ready(f(*ins))
        torch._dynamo.reset()
        mode = {"autotune": "max-autotune-no-cudagraphs"}.get(which)
        f = torch.compile(case.fn, dynamic=False, mode=mode)
        return lambda: f(*args)

    def case(self, name, models, versions, peers):
        torch, case, sizes = self.torch, self.cases[name], self.suite.sizes(name)
        torch.manual_seed(1)
        args = case.at(sizes)
        outs = self.results(case.fn(*args))
        refs = self.references(case, args)
        row = dict(kind=case.kind, tol=case.tol, floor_us=max(self.clock.copy(case.floor_bytes(args, outs)),
                                                            case.flops / self.tflops / 1e6))
        for v in versions:
            model = models.get((name, v))
            if model is None:
                continue
            try:
                if isinstance(model, Exception):
                    raise model
                call, mine = self.entry(model, name, args, outs, sizes)
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
    suite = protocol.Suite(o.suite)
    runner = Peers(suite, protocol.Clock())
    torch = runner.torch
    versions, peers = ([x for x in s.split(",") if x] for s in (o.versions, o.peers))
    names = [n for n in runner.cases if re.search(o.only, n)]
    wanted = {(n, v): suite.version(n, v) for n in names for v in versions}
    models = suite.build({k: w for k, w in wanted.items() if w})
    print(f"# built {len(models)} models in {time.time() - begun:.0f} s", flush=True)
    runner.tflops = runner.clock.tflops()
    data = dict(suite=o.suite, device=torch.cuda.get_device_name(), torch=torch.__version__, tflops=runner.tflops,
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
        protocol.keep(data, o.json)
    summary(data["rows"], versions, peers)
    print(f"{len(data['rows']) - bad} passed, {bad} failed, {time.time() - begun:.0f} s")
    return bad != 0


def summary(rows, versions, peers):
    for kind in ("memory", "matrix"):
        some = [r for r in rows.values() if r["kind"] == kind]
        means = {k: protocol.geomean([r[k + "_us"] / r["floor_us"] for r in some if k + "_us" in r])
                 for k in versions + peers}
        print(f"# {kind}, {len(some)} cases, geometric means over the floor: " +
              ", ".join(f"{k} {v:.2f}" for k, v in means.items() if not math.isnan(v)))
    for line in beside_compile(rows, versions):
        print("# " + line)


def beside_compile(rows, columns):
    """For each version a line: how its times are spread over torch.compile's."""
    for v in [c for c in columns if c in VERSIONS]:
        both = {n: r for n, r in rows.items() if v + "_us" in r and "compile_us" in r}
        ratios = sorted((r[v + "_us"] / r["compile_us"], n) for n, r in both.items())
        if ratios:
            at = lambda share: ratios[min(math.ceil(share * len(ratios)), len(ratios)) - 1][0]
            yield (f"{v} over torch.compile, {len(ratios)} cases: median {statistics.median(r for r, _ in ratios):.2f}, "
                   f"90th percentile {at(0.9):.2f}, worst {ratios[-1][0]:.2f} ({ratios[-1][1]})")


# ---- the table ----

def mean_of(rows, column):
    """The geometric mean over the floor, and of how many cases where some lack the figure."""
    have = [r[column + "_us"] / r["floor_us"] for r in rows if column + "_us" in r]
    return f"*{protocol.geomean(have):.2f}*" + (f" ({len(have)})" if len(have) < len(rows) else "") if have else "–"


def table(o):
    """In Markdown, for README.md: what run kept, and nothing that it did not measure."""
    with open(o.file, encoding="utf-8") as f:
        data = json.load(f)
    rows = data["rows"]
    columns = [k for k in ("fixed", "hint", "bare") + PEERS if any(k + "_us" in r for r in rows.values())]
    titles = dict(fixed="lengths fixed", hint="hinted", bare="unsaid", eager="PyTorch", ordered="deterministic",
                  compile="torch.compile", autotune="max-autotune", xla="XLA")
    print("| case | floor, µs | " + " | ".join(titles[c] for c in columns) + " |")
    print("|---|" + "---|" * (len(columns) + 1))
    cell = lambda r, k: f"{r[k + '_us'] / r['floor_us']:.2f}" if k + "_us" in r else "–"
    for name, r in rows.items():
        if not o.all and data.get("suite", "suite") == "suite" and name not in SHOWN:
            continue
        print(f"| {name} | {r['floor_us']:.1f} | " + " | ".join(cell(r, k) for k in columns) + " |")
    for kind in ("memory", "matrix"):
        some = [r for r in rows.values() if r["kind"] == kind]
        if not some:
            continue
        print(f"| *{len(some)} {kind} cases* | | " + " | ".join(mean_of(some, k) for k in columns) + " |")
    if data.get("suite", "suite") != "suite":
        print("", *beside_compile(rows, columns), sep="\n")
    return 0


# ---- on the CPU ----

def check(o):
    """Each program's bare version on the stand-in, at the sizes of its first check line, beside its expression."""
    import torch
    suite = protocol.Suite(o.suite)
    cases = suite.cases()
    sys.modules["suite"].DEVICE = "cpu"
    torch.set_num_threads(1)
    names = [n for n in cases if re.search(o.only, n) and cases[n].kind == "memory"]
    models = suite.build({n: suite.version(n, "bare") for n in names}, target="stand-in")
    runner = protocol.Runner(suite)
    bad = 0
    for name in names:
        try:
            sizes, case = suite.sizes(name, "check"), cases[name]
            torch.manual_seed(1)
            args = case.at(sizes)
            if isinstance(models[name], Exception):
                raise models[name]
            call, mine = runner.entry(models[name], name, args, runner.results(case.fn(*args)), sizes)
            call()
            error = distance(mine, runner.references(case, args))
            bad += error > case.tol
            print(f"{name:28} error {error:.1e}{' WRONG' if error > case.tol else ''}", flush=True)
        except Exception as e:
            bad += 1
            print(f"{name:28} {type(e).__name__}: {str(e)[:1500]}", flush=True)
    print(f"{len(names) - bad} passed, {bad} failed")
    return bad != 0


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = ap.add_subparsers(dest="verb", required=True)
    p = verbs.add_parser("run")
    p.add_argument("--suite", default="suite", metavar="NAME")
    p.add_argument("--only", default="", metavar="REGEX")
    p.add_argument("--versions", default=",".join(VERSIONS))
    p.add_argument("--peers", default="eager,compile")
    p.add_argument("--seconds", type=float, default=math.inf, help="begin no case after that")
    p.add_argument("--json", metavar="FILE")
    p = verbs.add_parser("table")
    p.add_argument("file")
    p.add_argument("--all", action="store_true", help="not only the cases that README.md shows; means are always of all")
    p = verbs.add_parser("check")
    p.add_argument("--suite", default="suite", metavar="NAME")
    p.add_argument("--only", default="", metavar="REGEX")
    p = verbs.add_parser("sizes")
    p.add_argument("--only", default="", metavar="REGEX")
    p.add_argument("--drawn", type=int, metavar="SEED", help="sizes that nobody chose")
    p.add_argument("--seconds", type=float, default=math.inf, help="begin no size after that")
    p.add_argument("--json", metavar="FILE")
    o = ap.parse_args()
    return dict(run=run, table=table, check=check, sizes=sizes.measure)[o.verb](o)


if __name__ == "__main__":
    sys.exit(main())
