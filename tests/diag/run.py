#!/usr/bin/env python3
"""Diagnostics: every code of ir/diags.def has an example that triggers it and one near it that compiles in silence.

The examples are those of `tdc --explain` (ir/diag_examples.txt). tests/diag/codes.txt holds what tdc answers to each
wrong one, tests/diag/mistakes/X.txt what it answers to X.td: likely mistakes of a new user. Both are rewritten with
UPDATE=1. The last line says how many tests passed and failed."""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TDC = str(Path(os.environ.get("TDC", ROOT / "build/tdc")).resolve())
UPDATE = os.environ.get("UPDATE", "0") == "1"
# Codes that no program of a user can trigger, and why.
WITHOUT = {
    "E0001": "a bug of the compiler itself",
    "E0900": "Graph texts are read by tests only",
}
passed, failed = 0, []


def verdict(ok, what):
    global passed
    if ok:
        passed += 1
    else:
        failed.append(what)


def codes():
    text = (ROOT / "ir/diags.def").read_text()
    rows = re.findall(r"^DIAG\(\s*(\d+),\s*(\w+),\s*SEV_(\w+),", text, re.M)
    return {("E" if sev == "ERROR" else "W") + number.zfill(4): name for number, name, sev in rows}


def examples():
    found, code, part, order = {}, None, None, []
    for line in (ROOT / "ir/diag_examples.txt").read_text().split("\n"):
        if line == "== right":
            part = "right"
        elif line.startswith("== "):
            words = line[3:].split()
            code, part = words[0], "wrong"
            verdict(code not in found, f"{code} has two examples in ir/diag_examples.txt")
            found[code] = {"file": words[1] if len(words) > 1 else "example.td", "wrong": [], "right": []}
            order.append(code)
            continue
        if code and line != "== right":
            found[code][part].append(line)
    verdict(order == sorted(order, key=lambda c: c[1:]), "ir/diag_examples.txt is not in the order of the codes")
    return found


def answer(file, lines):
    """What tdc says of a program, or of the shell commands that begin with `$ `, and its exit status."""
    with tempfile.TemporaryDirectory() as d:
        (Path(d) / "bin").mkdir()
        (Path(d) / "bin/tdc").symlink_to(TDC)
        env = dict(os.environ, PATH=f"{d}/bin:" + os.environ["PATH"], NO_COLOR="1")
        if lines[0].startswith("$ "):
            command = ["bash", "-c", "\n".join(l[2:] for l in lines if l)]
        else:
            (Path(d) / file).write_text("\n".join(lines).rstrip("\n") + "\n")
            flags = lines[0][len("// flags: "):].split() if lines[0].startswith("// flags: ") else []
            command = ["tdc", file, "-o", "out.cu", *flags]
        r = subprocess.run(command, cwd=d, env=env, capture_output=True, timeout=60)
        left = sorted(p.name for p in Path(d).iterdir() if p.name.startswith("out"))
        return r.stdout.decode(errors="replace") + r.stderr.decode(errors="replace"), r.returncode, left


def reported(text):
    return re.findall(r"^(?:[^\n]*?: )?(?:error|warning|perf)\[([EW]\d+)\]:", text, re.M)


def golden(path, now):
    if UPDATE:
        path.write_text(now)
    was = path.read_text() if path.exists() else ""
    if was == now:
        verdict(True, "")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
        f.write(now)
        f.flush()
        diff = subprocess.run(["diff", "-u", str(path), f.name], capture_output=True, text=True).stdout
    verdict(False, f"{path.relative_to(ROOT)} differs (UPDATE=1 rewrites it):\n{diff}")


def check_code(code, ex, explained):
    """The answer to the wrong example, after testing both."""
    says, status, left = answer(ex["file"], ex["wrong"])
    found = reported(says)
    verdict(found == [code], f"{code}: the wrong example reports {found}, not once {code}:\n{says}")
    if code.startswith("E"):
        verdict(status in (1, 3) and not left, f"{code}: exit status {status}, files {left}")
    else:
        verdict(status == 0, f"{code}: exit status {status}, a warning stops nothing")
    right, status, _ = answer(ex["file"], ex["right"])
    verdict(status == 0 and not right, f"{code}: the right example does not compile in silence:\n{right}")
    for part in ("wrong", "right"):
        body = "".join(f"    {l}\n" for l in ex[part] if l)
        verdict(f"{part}:\n{body}" in explained, f"--explain {code} does not show the {part} example")
    return says


def main():
    rows, ex = codes(), examples()
    verdict(len(rows) >= 80, f"only {len(rows)} codes")
    emitted = "".join(
        p.read_text() for d in ("ir", "frontend", "sched", "backend_cuda", "grammar")
        for p in (ROOT / d).iterdir() if p.suffix in (".c", ".h", ".re", ".y"))
    for code, name in rows.items():
        verdict(code in ex or code in WITHOUT, f"{code} ({name}) has no example in ir/diag_examples.txt")
        use = code in WITHOUT or re.search(r"\bDIAG_%s\b|REPORT\(\w+, %s," % (name, name), emitted)
        verdict(use, f"{code}: nobody reports DIAG_{name}")
    for code in ex:
        verdict(code in rows, f"{code} of ir/diag_examples.txt is no code of ir/diags.def")
    run = lambda *a: subprocess.run([TDC, *a], capture_output=True, text=True).stdout
    with ThreadPoolExecutor(2) as pool:
        known = [c for c in ex if c in rows]
        says = list(pool.map(lambda c: check_code(c, ex[c], run("--explain", c)), known))
    golden(HERE / "codes.txt", "\n".join(f"== {c} {rows[c]}\n{s}" for c, s in zip(known, says)))
    for td in sorted((HERE / "mistakes").glob("*.td")):
        says, status, _ = answer(td.name, td.read_text().split("\n"))
        verdict(status == 1 and len(reported(says)) == 1, f"{td.name}: one mistake gives one error, not {reported(says)}")
        golden(td.with_suffix(".txt"), says)
    for f in failed:
        print(f)
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
