#!/usr/bin/env python3
"""Times the kernels written by hand (tests/kernels) on this machine's GPU, beside PyTorch, and checks their results.

Usage: python3 bench/kernels.py DIR [--only REGEX] [--peers eager,compile] [--json FILE] [--variants]
DIR holds NAME.cu, NAME.c and NAME.h as tdc wrote them (`make bench` makes them; NAME may end in __VARIANT, another kernel text of the same
case). Needs nvcc and PyTorch with Triton. A time is a median, by device events, L2 flushed before each run; a floor is the time of a
device-to-device copy that moves the same bytes in the same protocol; figures are ratios to it within this run.
"""
import argparse
import concurrent.futures
import ctypes
import glob
import json
import os
import re
import subprocess
import sys

import torch
from triton.testing import do_bench

from cases import CASES

c = ctypes


class Entry(c.Structure):
    _fields_ = [("name", c.c_char_p), ("ntensors", c.c_int), ("ndims", c.c_int), ("nscalars", c.c_int),
                ("workspace", c.CFUNCTYPE(c.c_int, c.POINTER(c.c_int64), c.POINTER(c.c_size_t))),
                ("call", c.CFUNCTYPE(c.c_int, c.POINTER(c.c_void_p), c.POINTER(c.c_int64), c.POINTER(c.c_double), c.c_void_p, c.c_size_t,
                                     c.c_void_p, c.c_char_p, c.c_size_t))]


def build(path):
    """NAME.cu and NAME.c to a shared library; returns what ptxas says of registers and spills."""
    base = path[:-3]
    subprocess.run(["gcc", "-O2", "-fPIC", "-c", base + ".c", "-o", base + ".c.o", "-I/usr/local/cuda/include"], check=True)
    r = subprocess.run(["nvcc", "-O3", "-std=c++17", "-gencode", "arch=compute_90a,code=sm_90a", "-Xptxas", "-v", "-Xcompiler", "-fPIC", "-shared",
                        "-o", base + ".so", path, base + ".c.o"], capture_output=True, text=True)
    if r.returncode:
        raise RuntimeError(r.stderr[-2000:])
    regs = re.findall(r"Used (\d+) registers", r.stderr)
    spills = [int(x) for x in re.findall(r"(\d+) bytes spill stores", r.stderr)]
    stack = [int(x) for x in re.findall(r"(\d+) bytes stack frame", r.stderr)]
    return "/".join(regs), max(spills or [0]), max(stack or [0])


def load(base, name):
    lib = c.CDLL(base + ".so")
    prefix = os.path.basename(base)
    n = c.c_int.in_dll(lib, prefix + "_nentries").value
    for e in (Entry * n).in_dll(lib, prefix + "_entries"):
        if e.name.decode() == name:
            return lib, e
    raise RuntimeError("no entry " + name)


def copy_us(nbytes, _buf={}):
    half = max(int(nbytes) // 2, 16)
    if not _buf:
        _buf["a"] = torch.empty(1 << 30, device="cuda", dtype=torch.uint8)
        _buf["b"] = torch.empty(1 << 30, device="cuda", dtype=torch.uint8)
    a, b = _buf["a"][:half], _buf["b"][:half]
    return do_bench(lambda: b.copy_(a), warmup=10, rep=60, return_mode="median") * 1e3


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dir")
    ap.add_argument("--only", default="")
    ap.add_argument("--peers", default="")
    ap.add_argument("--json")
    o = ap.parse_args()
    files = [f for f in sorted(glob.glob(os.path.join(o.dir, "*.cu"))) if re.search(o.only, os.path.basename(f))
             and os.path.basename(f)[:-3].split("__")[0] in CASES]
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        built = dict(zip(files, pool.map(lambda f: _try(build, f), files)))
    rows, bad = [], 0
    print(f"# {torch.cuda.get_device_name()} torch {torch.__version__}")
    print(f"{'kernel':34}{'floor us':>9}{'us':>9}{'/floor':>8}  {'regs':12}{'spill':>6}{'error':>10}")
    last, peers, data = None, {}, None
    for f in files:
        base = f[:-3]
        stem = os.path.basename(base)
        name = stem.split("__")[0]
        if isinstance(built[f], Exception):
            print(f"{stem:34} does not build: {str(built[f])[-300:]}")
            bad += 1
            continue
        case = CASES[name]
        if name != last:
            data = None
            torch.cuda.empty_cache()
            torch.manual_seed(1)
            args = case["make"]()
            want = case["ref"](*args)
            want = want if isinstance(want, (tuple, list)) else (want,)
            nbytes = sum(t.numel() * t.element_size() for t in list(args) + list(want))
            if name == "embedding":
                nbytes = 2 * want[0].numel() * 2 + args[1].numel() * 8
            floor = copy_us(nbytes)
            data, last, peers = (args, want, floor), name, {}
            for p in [x for x in o.peers.split(",") if x]:
                torch._dynamo.reset()
                fn = case["ref"] if p == "eager" else torch.compile(case["ref"], dynamic=False)
                fn(*args)
                peers[p] = do_bench(lambda: fn(*args), warmup=25, rep=100, return_mode="median") * 1e3
        args, want, floor = data
        try:
            lib, e = load(base, name)
            outs = [torch.full(s, -1, device="cuda", dtype=t) if t == torch.int64 else torch.full(s, float("nan"), device="cuda", dtype=t) for s, t in case["outs"]]
            ptrs = (c.c_void_p * e.ntensors)(*[t.data_ptr() for t in list(args) + outs])
            dims = (c.c_int64 * max(e.ndims, 1))(*case["dims"])
            ws = c.c_size_t()
            e.workspace(dims, c.byref(ws))
            work = torch.full((max(ws.value, 256),), 255, device="cuda", dtype=torch.uint8)
            msg = c.create_string_buffer(512)
            stream = torch.cuda.current_stream().cuda_stream

            def run():
                r = e.call(ptrs, dims, None, work.data_ptr(), ws.value, stream, msg, 512)
                if r:
                    raise RuntimeError(f"status {r}: {msg.value.decode()}")
            run()
            torch.cuda.synchronize()
            err = 0.0
            for a, b in zip(outs, want):
                if a.dtype == torch.int64:
                    err = max(err, float((a != b).sum()))
                    continue
                a64, b64 = a.double(), b.double()
                err = max(err, float(((a64 - b64).abs() / (b64.abs() + b64.pow(2).mean().sqrt())).max().nan_to_num(1e9)))
                del a64, b64
            us = do_bench(run, warmup=25, rep=150, return_mode="median") * 1e3
        except Exception as ex:
            print(f"{stem:34} failed: {str(ex)[:200]}", flush=True)
            bad += 1
            continue
        regs, spill, stack = built[f]
        ok = err <= case["tol"]
        bad += not ok
        row = dict(kernel=stem, floor_us=floor, us=us, ratio=us / floor, regs=regs, spill=spill, stack=stack, error=err, **{p: v / floor for p, v in peers.items()})
        rows.append(row)
        print(f"{stem:34}{floor:9.1f}{us:9.1f}{us / floor:8.3f}  {regs:12}{spill:6}{err:10.2g}{'' if ok else '  WRONG'}" +
              "".join(f"  {p} {v / floor:.2f}" for p, v in peers.items()), flush=True)
        del outs, work
    if o.json:
        json.dump(rows, open(o.json, "w"), indent=1)
    print(f"{len(files) - bad} passed, {bad} failed")
    return bad != 0


def _try(f, *a):
    try:
        return f(*a)
    except Exception as e:  # reported with the case
        return e


if __name__ == "__main__":
    sys.exit(main())
