#!/usr/bin/env python3
"""Times matrix products (bench/products.td) on this machine's GPU beside PyTorch, and checks their results and launches.

Usage: python3 bench/products.py DIR [--tuned DIR] [--only REGEX] [--rounds N] [--json FILE]
DIR holds products.cu, .c and .h as tdc wrote them; --tuned names the same of a compilation with --tuning. Needs nvcc, cuBLASLt and PyTorch. All sides are captured in CUDA graphs and replayed
by turns, L2 flushed before each replay; a figure is the median of the rounds' medians, the spread the largest distance of a round's
median from it. Nothing but the ratio of two sides in one run means anything.
"""
import argparse
import ctypes as c
import json
import os
import re
import subprocess
import sys

import torch
import torch.nn.functional as F

B, H = torch.bfloat16, torch.float16


def rn(*shape, dtype=B, scale=1.0):
    return (torch.randn(*shape, device="cuda") * scale).to(dtype)


def linear(m, k, n, dtype=B):
    return rn(m, k, dtype=dtype), rn(k, n, dtype=dtype, scale=k ** -0.5), rn(n, dtype=dtype)


def mlp(*widths):
    xs = [rn(16384, widths[0], dtype=H)]
    for a, b in zip(widths, widths[1:]):
        xs += [rn(a, b, dtype=H, scale=a ** -0.5), rn(b, dtype=H)]
    return tuple(xs)


def relu_chain(x, *wb):
    for i in range(0, len(wb), 2):
        x = F.relu(torch.addmm(wb[i + 1], x, wb[i]))
    return x


# name: entry, inputs, dimensions, peer, launches of ours; an `inout` result starts as the last input.
CASES = {
    "gemm_8k": ("gemm", lambda: linear(8192, 8192, 8192)[:2], (8192, 8192, 8192), lambda x, w: x @ w, 1),
    "gemm_4k": ("gemm", lambda: linear(4096, 4096, 4096)[:2], (4096, 4096, 4096), lambda x, w: x @ w, 1),
    "gemm_1k": ("gemm", lambda: linear(1024, 1024, 1024)[:2], (1024, 1024, 1024), lambda x, w: x @ w, 1),
    "linear_gelu": ("linear_gelu", lambda: linear(8192, 4096, 16384), (8192, 4096, 16384),
                    lambda x, w, b: F.gelu(torch.addmm(b, x, w), approximate="tanh"), 1),
    "linear_residual": ("linear_residual", lambda: linear(8192, 16384, 4096) + (rn(8192, 4096),), (8192, 16384, 4096),
                        lambda x, w, b, r: r + torch.addmm(b, x, w), 1),
    "linear_into": ("linear_into", lambda: linear(8192, 16384, 4096) + (rn(8192, 4096, scale=1e-3),), (8192, 16384, 4096),
                    lambda x, w, b, r: r.add_(torch.addmm(b, x, w)), 1),
    "linear_silu_odd": ("linear_silu", lambda: linear(4000, 1000, 3000, H), (4000, 1000, 3000),
                        lambda x, w, b: F.silu(torch.addmm(b, x, w)), 2),
    "linear_silu_rounded": ("linear_silu_rounded", lambda: linear(4000, 1000, 3000, H), (4000, 1000, 3000),
                            lambda x, w, b: F.silu(torch.addmm(b, x, w)), 2),
    "linear_skinny": ("linear", lambda: linear(16, 4096, 14336), (16, 4096, 14336), lambda x, w, b: torch.addmm(b, x, w), 1),
    "grouped_gemm": ("grouped_gemm", lambda: (rn(64, 256, 1024, dtype=H), rn(64, 1024, 1024, dtype=H, scale=1 / 32), rn(64, 1, 1024, dtype=H)),
                     (64, 256, 1024, 1024), lambda x, w, b: torch.baddbmm(b.expand(-1, 256, -1), x, w), 1),
    "mlp4": ("mlp4", lambda: mlp(512, 1024, 1024, 512, 256), (16384, 512, 1024, 1024, 512, 256), relu_chain, 4),
}


class Run(c.Structure):
    _fields_ = [("workspace", c.c_void_p), ("workspace_bytes", c.c_size_t), ("stream", c.c_void_p), ("message", c.c_char_p),
                ("message_bytes", c.c_size_t)]


def build(folder):
    base = os.path.join(folder, "products")
    subprocess.run(["nvcc", "-O3", "-std=c++17", "-gencode", "arch=compute_90a,code=sm_90a", "-Xcompiler", "-fPIC", "-c", base + ".cu", "-o", base + "_k.o"],
                   check=True)
    subprocess.run(["nvcc", "-O2", "-Xcompiler", "-fPIC", "-shared", "-o", base + ".so", base + ".c", base + "_k.o", "-lcublasLt"], check=True)
    return c.CDLL(base + ".so")


class Ours:
    def __init__(self, lib, ctx, entry, inputs, dims):
        self.call = getattr(lib, "products_" + entry)
        self.ctx = ctx
        self.dims = [c.c_int64(d) for d in dims]
        n = c.c_size_t()
        assert getattr(lib, f"products_{entry}_workspace")(ctx, *self.dims, c.byref(n)) == 0
        assert getattr(lib, f"products_{entry}_prepare")(ctx, *self.dims) == 0
        self.workspace = torch.empty(max(n.value, 256), dtype=torch.uint8, device="cuda")
        self.message = c.create_string_buffer(500)
        self.tensors = list(inputs)

    def __call__(self, *tensors):
        run = Run(self.workspace.data_ptr(), self.workspace.numel(), torch.cuda.current_stream().cuda_stream, c.cast(self.message, c.c_char_p), 500)
        status = self.call(self.ctx, c.byref(run), *[c.c_void_p(t.data_ptr()) for t in tensors], *self.dims)
        if status:
            raise RuntimeError(self.message.value.decode())


def capture(f):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            f()
    torch.cuda.synchronize()
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        f()
    return g


def kernels(f):
    """Names of the kernels that one call launches."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as p:
        f()
        torch.cuda.synchronize()
    return [e.key for e in p.key_averages() for _ in range(e.count)
            if e.device_type == torch.autograd.DeviceType.CUDA and not e.key.startswith("Memset")]  # the library clears its own counter


def median(v):
    return sorted(v)[len(v) // 2]


def timed(graphs, rounds, flush, repeats=7):
    times = [[] for _ in graphs]
    for _ in range(rounds):
        for k, g in enumerate(graphs):
            one = []
            for _ in range(repeats):
                flush.zero_()
                a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                a.record()
                g.replay()
                b.record()
                b.synchronize()
                one.append(a.elapsed_time(b) * 1e3)
            times[k].append(median(one))
    return times


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dir")
    p.add_argument("--tuned")
    p.add_argument("--only", default="")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--json")
    o = p.parse_args()
    torch.manual_seed(1)
    libs = [build(d) for d in (o.dir, o.tuned) if d]
    contexts = [c.c_void_p() for _ in libs]
    for lib, ctx in zip(libs, contexts):
        assert lib.products_open(c.byref(ctx), 0) == 0
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    results, bad = {}, 0
    print(f"{'case':22} {'ours us':>9} {'eager us':>9} {'ratio':>6} {'spread':>7} {'launches':>9} {'eager':>6} {'error':>9} {'eager':>9} {'workspace':>10}{'  tuned us  of ours  spread     error' if o.tuned else ''}")
    for name, (entry, make, dims, peer, launches) in CASES.items():
        if not re.search(o.only, name):
            continue
        inputs = make()
        into = entry == "linear_into"
        start = inputs[-1].clone() if into else None
        y = inputs[-1] if into else torch.empty_like(peer(*inputs))
        models = [Ours(lib, ctx, entry, inputs, dims) for lib, ctx in zip(libs, contexts)]
        calls = [(lambda m=m: m(*inputs)) if into else (lambda m=m: m(*inputs, y)) for m in models]
        mine, ours = models[0], calls[0]
        eager = lambda: peer(*inputs)
        wide = [t.double() for t in inputs]
        if into:
            wide[-1] = start.double()
        truth = peer(*wide)
        errors = []
        for call in calls:
            if into:
                y.copy_(start)
            call()
            errors.append(((y.double() - truth).abs().max() / truth.abs().max()).item())
        error = max(errors)
        if into:
            y.copy_(start)
        theirs = ((eager().double() - truth).abs().max() / truth.abs().max()).item()
        del wide, truth
        names, peers = kernels(ours), kernels(eager)
        graphs = [capture(ours), capture(eager)] + [capture(call) for call in calls[1:]]
        t = timed(graphs, o.rounds, flush)
        mid = [median(v) for v in t]
        spread = max(max(abs(x - m) / m for x in v) for v, m in zip(t, mid))
        ratio = mid[0] / mid[1]
        tuned = f" {mid[2]:9.1f} {mid[2] / mid[0]:8.3f} {max(abs(x - mid[2]) / mid[2] for x in t[2]):7.3f} {errors[1]:9.2g}" if o.tuned else ""
        fails = ratio > 1.03 + spread or error > 2 * theirs + 1e-6 or len(names) != launches
        bad += fails
        print(f"{name:22} {mid[0]:9.1f} {mid[1]:9.1f} {ratio:6.3f} {spread:7.3f} {len(names):9d} {len(peers):6d} {error:9.2g} {theirs:9.2g} "
              f"{mine.workspace.numel():10d}{tuned}{'  <-' if fails else ''}", flush=True)
        results[name] = dict(ours=mid[0], eager=mid[1], ratio=ratio, spread=spread, launches=names, eager_launches=peers, error=error, tuned=mid[2] if o.tuned else None)
        del graphs, inputs, y, start
        torch.cuda.empty_cache()
    if o.json:
        json.dump(results, open(o.json, "w"), indent=1)
    print(f"{len(results) - bad} passed, {bad} failed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
