#!/usr/bin/env python3
"""The programs that bench/measure.py times pass the compiler, and each has a case: programs.py TDC. Each program is right in
all its versions, and every third goes through the whole compiler in one of them, by turns; with TDC_EVERY=1 each in all."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
sys.path.insert(0, BENCH)
import protocol
import sizes

tdc = sys.argv[1]
passed, failed = 0, []


def verdict(ok, what):
    global passed
    if ok:
        passed += 1
    else:
        failed.append(what)


def compiled(suite, name, which, whole):
    source, options = suite.version(name, which)
    defines = [f"-D{n}={v}" for n, v in options.get("defines", {}).items()]
    with tempfile.NamedTemporaryFile("w", suffix=".td") as f:
        f.write(source)
        f.flush()
        ends = ["-o", "-", "--emit=cu"] if whole else ["--stop-after=sema"]
        r = subprocess.run([tdc, f.name, *ends, *defines], capture_output=True, text=True)
    return r.returncode == 0 and ("__global__" in r.stdout or not whole), f"{name}, {which}: {r.stderr[:400]}"


least = dict(wide=40, gpt2=8, places=7)
for name, few in least.items():
    suite = protocol.Suite(name)
    programs = sorted(f[:-3] for f in os.listdir(suite.folder))
    with open(os.path.join(BENCH, f"{name}.py"), encoding="utf-8") as f:
        cases = re.findall(r'^@case\("(\w+)"', f.read(), re.M)
    verdict(sorted(cases) == programs, f"cases of {name}.py are {set(cases) ^ set(programs)} apart from programs")
    verdict(len(programs) >= few, f"{name}: only {len(programs)} programs")
    verdict(name != "wide" or sum(n.startswith("drawn_") for n in programs) >= 10, "too few drawn programs")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        every = os.environ.get("TDC_EVERY") == "1"
        wanted = [(suite, n, v, every or i % 3 == 0 and (i // 3 + k) % 3 == 0)
                  for i, n in enumerate(programs) for k, v in enumerate(("fixed", "hint", "bare"))]
        for ok, what in pool.map(lambda k: compiled(*k), wanted):
            verdict(ok, what)

# of each class the sizes give what the program's shapes need
suite = protocol.Suite("suite")
points = sizes.points()
for name in {n for n, _ in points}:
    dims = [d for (n, _), (d, _) in points.items() if n == name]
    verdict(len(dims) == 12 and all(d.keys() == suite.dimensions(name).keys() for d in dims), f"sizes of {name}: {dims}")
    verdict(any(o for (n, _), (_, o) in points.items() if n == name), f"no size of {name} is off an aligned address")

for what in failed:
    print(f"FAILED: {what}")
print(f"{passed} passed, {len(failed)} failed")
sys.exit(len(failed) > 0)
