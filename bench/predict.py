#!/usr/bin/env python3
"""What the programs of a folder are predicted to take, over a copy of their bytes: with lengths known, hinted and unsaid.

  python3 bench/predict.py [FOLDER...] [--tdc build/tdc] [--only REGEX] [--json FILE] [--beside FILE]

Needs no GPU: times are what `tdc explain` predicts at the sizes of the bench lines; FOLDER is one of bench, by default
plain. What is far from a copy stands first; !! marks what takes much longer where less is said, << what takes longer
where more is said. With --beside, a file of --json, those are listed that have changed since.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import protocol

VERSIONS = ("fixed", "hint", "bare")
HINTED, UNSAID = 1.5, 2.2  # times what it takes where lengths are known
CHANGED = 0.05


def predicted(tdc, suite, name, which):
    """Microseconds of a version and of a copy; 0 where tdc refuses it."""
    text, options = suite.version(name, which)
    fixed = options.get("defines", {})
    options = [f"-D{d}={n}" for d, n in fixed.items()]
    options += [f"--at={d}={n}" for d, n in suite.sizes(name).items() if d not in fixed]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".td")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        r = subprocess.run([tdc, "explain", path, "-I", suite.folder, "-Wno-perf"] + options, text=True,
                           capture_output=True, check=False)
    takes = re.search(r"^([\d.]+) us", r.stdout, re.M)
    copy = re.search(r"of its [\d.]+ [kMGT]?B \(([\d.]+) us\)", r.stdout)
    return [float(m.group(1)) if m else 0 for m in (takes, copy)]


def show(rows):
    for name, (times, copy) in rows:
        fixed, hint, bare = times
        mark = "  !!" if fixed and (hint > HINTED * fixed or bare > UNSAID * fixed) else ""
        if any(0 < less * (1 + CHANGED) < more for more, less in ((fixed, hint), (fixed, bare), (hint, bare))):
            mark += "  <<"
        over = " ".join(f"{t / copy:8.2f}" if copy else "       -" for t in times)
        print(f"{name:28}" + " ".join(f"{t:10.1f}" for t in times) + f"  copy {copy:7.1f}  {over}{mark}")


def show_changes(rows, before):
    for name, (times, _) in rows:
        for which, now, had in zip(VERSIONS, times, before.get(name, [[0] * 3])[0]):
            if bool(now) != bool(had) or (now and abs(now / had - 1) > CHANGED):
                print(f"{name:28} {which:6}{had:10.1f} -> {now:10.1f}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", nargs="*", default=["plain"])
    p.add_argument("--tdc", default="build/tdc")
    p.add_argument("--only", default="")
    p.add_argument("--json")
    p.add_argument("--beside")
    o = p.parse_args()
    suites = [protocol.Suite(f) for f in o.folder]
    names = [(s, f[:-3]) for s in suites for f in sorted(os.listdir(s.folder)) if f.endswith(".td")]
    names = [(s, n) for s, n in names if re.search(o.only, n)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda job: predicted(o.tdc, *job), [(s, n, v) for s, n in names for v in VERSIONS])
    found = list(found)
    rows = {}
    for i, (suite, name) in enumerate(names):
        three = found[3 * i:3 * i + 3]
        rows[f"{suite.name}/{name}"] = [t for t, _ in three], three[0][1]
    worst = sorted(rows.items(), key=lambda r: max(r[1][0]) / (r[1][1] or 1), reverse=True)
    if o.json:
        with open(o.json, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)
    if o.beside:
        with open(o.beside, encoding="utf-8") as f:
            show_changes(worst, json.load(f))
    else:
        show(worst)
    return 0


if __name__ == "__main__":
    sys.exit(main())
