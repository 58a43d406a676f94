"""Runs the checks of td files with each dimension at 0 and at 1, and with all at 0: sizes.py TDC TARGET FILE...
A size that the entry refuses by a condition of its own, or for which no input satisfies what is assumed, counts as
refused. A line `// sizes: not f(V = 1)` leaves out what is meaningless there. Prints what differs from the reference."""
import os
import re
import subprocess
import sys

CHECK = re.compile(r"check (\w+)\((.*?)\)(.*);")
LEFT_OUT = re.compile(r"// sizes: not (\w+)\((.*?)\)")
REFUSED = re.compile(r"the entry refuses: .*expected |no value of .* satisfies what is assumed")


def variants(lines):
    """The lines without their checks, and the checks with other sizes."""
    rest, checks = [], set()
    left_out = {m.groups() for m in map(LEFT_OUT.match, lines) if m}
    for line in lines:
        m = CHECK.match(line)
        rest.append("" if line.startswith(("check ", "bench ")) else line)
        if not m or " error " in m.group(3):
            continue
        args = [tuple(a.split("=")) for a in m.group(2).split(",") if a.strip()]
        args = [(name.strip(), value.strip()) for name, value in args]
        sizes = [i for i, (_, value) in enumerate(args) if value.isdigit()]
        changes = [{i: n} for i in sizes for n in (0, 1)] + [{i: 0 for i in sizes}]
        for change in changes:
            if any((m.group(1), f"{args[i][0]} = {n}") in left_out for i, n in change.items()):
                continue
            new = ", ".join(f"{name} = {change.get(i, value)}" for i, (name, value) in enumerate(args))
            checks.add(f"check {m.group(1)}({new}){m.group(3)};")
    return rest, sorted(checks)


def run(tdc, target, path):
    """(passed, refused, failed) of one file."""
    rest, checks = variants(open(path, encoding="utf-8").read().split("\n"))
    copy = os.path.join(os.path.dirname(path), f"sizes_{os.getpid()}.td")  # beside the file, for its imports
    try:
        while True:  # until no check has a size that a declaration forbids
            with open(copy, "w", encoding="utf-8") as f:
                f.write("\n".join(rest + checks) + "\n")
            done = subprocess.run([tdc, "check", copy, target], capture_output=True, text=True)
            wrong = {int(n) - len(rest) - 1 for n in re.findall(r":(\d+):\d+: error\[E0801\]", done.stderr)}
            if not wrong:
                break
            checks = [c for i, c in enumerate(checks) if i not in wrong]
    finally:
        os.remove(copy)
    ok = len(re.findall("^ok ", done.stdout, re.M))
    bad = [line for line in done.stdout.split("\n") if line.startswith("FAILED")]
    failed = [line for line in bad if not REFUSED.search(line)]
    if ok + len(bad) != len(checks):
        failed.append(f"{ok + len(bad)} of {len(checks)} checks were run: {done.stderr[:2000]}")
    for line in failed:
        print(f"{path}: {line}")
    return ok, len(bad) - len([line for line in failed if line in bad]), len(failed)


def main():
    tdc, target, *files = sys.argv[1:]
    total = [0, 0, 0]
    for path in files:
        total = [a + b for a, b in zip(total, run(tdc, target, path))]
    print(f"{total[1]} refused")
    print(f"{total[0] + total[1]} passed, {total[2]} failed")
    return total[2] > 0


sys.exit(main())
