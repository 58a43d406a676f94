#!/usr/bin/env python3
"""What is lost where nothing is said of lengths, at sizes that nobody chose: the predicted time of the version for all
sizes over that of the version compiled for the size.

  python3 bench/unseen.py [--tdc build/tdc] [--sizes 12] [--seed 7] [--only REGEX]

Needs no GPU: times are what `tdc explain` predicts. Sizes are drawn as those of `measure.py sizes --drawn`.
"""
import argparse
import concurrent.futures
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import protocol
import sizes

PROGRAMS = """suite/softmax_4k suite/layernorm suite/add_rmsnorm suite/cross_entropy suite/argmax_rows suite/cumsum_rows
    suite/column_sum suite/bias_gelu suite/transpose_2d wide/norm_bwd_residual wide/column_deviation wide/cosine_rows
    wide/class_of_pixels suite/mask_softmax suite/groupnorm_nhwc_silu wide/rms_norm_heads wide/window_bias_softmax
    wide/alibi_causal_softmax wide/masked_pool wide/middle_softmax wide/channel_stats wide/mean_window_last
    wide/batch_norm_last_relu suite/upsample2x wide/shifted_windows wide/two_axes_norm""".split()
MUCH, VERY_MUCH = 1.4, 2.0


def predicted(tdc, suite, name, which, dims):
    """Microseconds of a version, or None where tdc refuses it or those sizes."""
    given = suite.sizes(name) | dims
    text = suite.program(name) if which == "fixed" else suite.version(name, which)[0]
    options = [f"-D{d}={n}" for d, n in dims.items()] if which == "fixed" else []
    options += [f"--at={d}={n}" for d, n in given.items() if which != "fixed" or d not in dims]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".td")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        r = subprocess.run([tdc, "explain", path, "-I", suite.folder, "--format=json", "-Wno-perf"] + options,
                           text=True, capture_output=True, check=False)
    return next((json.loads(line)["us"] for line in r.stdout.splitlines() if '"us"' in line), None)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tdc", default="build/tdc")
    p.add_argument("--sizes", type=int, default=12)
    p.add_argument("--seed", type=int, default=7)
    p.add_argument("--only", default="")
    o = p.parse_args()
    rng, jobs = random.Random(o.seed), []
    for program in PROGRAMS:
        folder, name = program.split("/")
        suite = protocol.Suite(folder)
        drawn = [sizes.draw(rng, list(suite.dimensions(name))) for _ in range(o.sizes)]
        jobs += [(suite, name, dims) for dims in drawn if re.search(o.only, name)]

    def ratio(job):
        fixed, bare = (predicted(o.tdc, *job[:2], which, job[2]) for which in ("fixed", "bare"))
        return bare / fixed if fixed and bare else None
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        ratios = list(pool.map(ratio, jobs))
    found = {}
    for (_, name, dims), r in zip(jobs, ratios):
        if r:
            found.setdefault(name, []).append((r, "x".join(map(str, dims.values()))))
    everything = [r for of in found.values() for r, _ in of]
    for name, of in found.items():
        worst = "  ".join(f"{r:.2f} {dims}" for r, dims in sorted(of, reverse=True)[:3])
        print(f"{name:22}{protocol.geomean([r for r, _ in of]):6.2f}   worst {worst}")
    more = [sum(r > limit for r in everything) for limit in (MUCH, VERY_MUCH)]
    print(f"# {len(everything)} sizes: unsaid over fixed {protocol.geomean(everything):.3f}, beyond {MUCH}: {more[0]}, "
          f"beyond {VERY_MUCH}: {more[1]}")
    return 0 if everything and all(map(math.isfinite, everything)) else 1


if __name__ == "__main__":
    sys.exit(main())
