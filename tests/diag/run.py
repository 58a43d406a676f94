#!/usr/bin/env python3
"""Diagnostics: every code of ir/diags.def has an example that triggers it and one near it that compiles in silence.

The examples are those of `tdc --explain` (ir/diag_examples.txt). tests/diag/codes.txt holds what tdc answers to each
wrong one, tests/diag/mistakes/X.txt what it answers to X.td: likely mistakes of a new user. Both are rewritten with
UPDATE=1. The last line says how many tests passed and failed."""

import json
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
        if isinstance(lines, bytes):
            (Path(d) / file).write_bytes(lines)
            lines = lines.decode(errors="replace").split("\n")
            command = ["tdc", file, "-o", "out.cu", *lines[0][len("// flags: "):].split()]
        elif lines[0].startswith("$ "):
            command = ["bash", "-c", "\n".join(l[2:] for l in lines if l)]
        else:
            (Path(d) / file).write_text("\n".join(lines).rstrip("\n") + "\n")
            flags = lines[0][len("// flags: "):].split() if lines[0].startswith("// flags: ") else []
            command = ["tdc", file, "-o", "out.cu", *flags]
        r = subprocess.run(command, cwd=d, env=env, capture_output=True, timeout=60)
        left = sorted(p.name for p in Path(d).iterdir() if p.name.startswith("out"))
        return r.stdout.decode(errors="replace") + r.stderr.decode(errors="replace"), r.returncode, left


def without_places(text):
    """The library stands anywhere, and its lines move."""
    text = re.sub(r"^\S*/(stdlib/\w+\.td):\d+:\d+: (.*\n) *\d+ \|", r"\1: \2      |", text, flags=re.M)
    return text


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
    # W1008 says how much the reports beside it matter, and stands never alone.
    found = [c for c in reported(says) if code != "W1008" or c == code]
    verdict(found == [code], f"{code}: the wrong example reports {found}, not once {code}:\n{says}")
    if code.startswith("E"):
        verdict(status in (1, 3) and not left, f"{code}: exit status {status}, files {left}")
    else:
        verdict(status == 0, f"{code}: exit status {status}, a warning stops nothing")
    right, status, _ = answer(ex["file"], ex["right"])
    verdict(status == 0 and not reported(right), f"{code}: the right example does not compile in silence:\n{right}")
    for part in ("wrong", "right"):
        body = "".join(f"    {l}\n" for l in ex[part] if l)
        verdict(f"{part}:\n{body}" in explained, f"--explain {code} does not show the {part} example")
    return says


def place(o):
    return (o["line"], o["column"], o["end_line"], o["end_column"])


def check_json():
    """--diagnostics=json as docs/diagnostics.md says it."""
    head, caf, tail = b"// flags: --diagnostics=json\n// caf\xc3\xa9 ", b"\xff", b"""
export fn f(input: f32[N], on: bool[N]) -> (y: f32[N], z: f32[N], s: f32[]) {
\ty[i] = inptu[i];
    z[i] = sum[k](
        input[k * i +
        1]);
    s[] = 2.0f;
}
export fn g(x: f32[N]) -> (y: f32[N]) { require 1 > 2, "a \\"quote\\" and a \\\\"; y[i] = x[i]; }
"""
    says, status, _ = answer("a.td", head + caf + tail)
    try:
        got = json.loads(says)
    except ValueError as e:
        verdict(False, f"--diagnostics=json is no JSON ({e}):\n{says}")
        return
    verdict(status == 1, f"json: exit status {status}")
    want = ["file", "line", "column", "end_line", "end_column", "severity", "code", "message", "notes", "help"]
    verdict(all(list(d) == want for d in got), f"json: members {[list(d) for d in got]}")
    by = {d["code"]: d for d in got}
    verdict(sorted(by) == ["E0101", "E0105"], f"json: the lexer's reports are {sorted(by)}")
    verdict(by["E0101"]["message"] == "byte 0xFF is not UTF-8" and by["E0101"]["column"] == 9, f"json: {by['E0101']}")
    fix = by["E0105"]["help"][0]["fix"]
    verdict(fix["text"] == "" and place(fix) == (8, 14, 8, 15), f"json: the fix of E0105 is {fix}")

    says, status, _ = answer("a.td", head + tail.replace(b"2.0f", b"2.0"))
    by = {d["code"]: d for d in json.loads(says)}
    verdict(sorted(by) == ["E0300", "E0507", "E0600"], f"json: {sorted(by)}")
    name = by["E0300"]
    verdict(place(name) == (4, 9, 4, 14) and name["help"][0]["fix"]["text"] == "input", f"json: {name}")
    verdict(place(name["help"][0]["fix"]) == place(name), f"json: {name}")
    multi = by["E0600"]["notes"][0]
    verdict(place(multi) == (6, 15, 7, 10), f"json: a place of two lines is {multi}")
    verdict(by["E0507"]["message"] == 'this does not hold: a "quote" and a \\', f"json: {by['E0507']['message']}")
    says, status, _ = answer("", ["$ tdc missing.td --diagnostics=json"])
    verdict(json.loads(says)[0]["file"] is None, f"json: without a file: {says}")
    says, status, _ = answer("example.td", ["// flags: --diagnostics=json", "export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }"])
    verdict(status == 0 and json.loads(says) == [], f"json: nothing to say: {says}")


def check_library():
    """What a call makes wrong inside another file stands at the call, once; the place inside is a note."""
    main = 'import "./own.td";\nimport "nn";\nexport fn f(x: i32[N]) -> (y: f32[N], z: f32[N]) { y = softmax(x); z = twice(x); }\n'
    own = 'import "nn";\nfn twice<T>(x: T[N]) -> (y: f32[N]) { y = inner(x); }\n' \
          "fn inner<T>(x: T[N]) -> (y: f32[N]) { y[i] = silu(x[i]) + exp(x[i]); }\nfn typo(x) = exq(x);\n"
    says, _, _ = answer("", ["$ cat > own.td <<'E'", *("$ " + l for l in own.split("\n")), "$ E", "$ cat > a.td <<'E'",
                             *("$ " + l for l in main.split("\n")), "$ E", "$ tdc a.td -o out.cu --diagnostics=json"])
    got = json.loads(says)
    verdict([(d["file"], d["line"], d["column"], d["code"]) for d in got] == [("a.td", 3, 56, "E0400"), ("a.td", 3, 72, "E0400")],
            f"library: {says}")
    notes = [[(Path(n["file"]).name, n["message"]) for n in d["notes"]] for d in got]
    verdict(notes == [[("nn.td", "in softmax, here")],
                      [("nn.td", "in silu, here"), ("own.td", "which inner calls here"), ("own.td", "which twice calls here")]],
            f"library: {notes}")
    verdict(all(len(d["help"]) == 1 and "convert it first" in d["help"][0]["message"] for d in got), f"library: {says}")
    # a name is the text's own mistake, whoever calls the function
    main = 'import "./own.td";\nexport fn g(x: f32[N]) -> (y: f32[N]) { y[i] = typo(x[i]); }\n'
    says, _, _ = answer("", ["$ cat > own.td <<'E'", *("$ " + l for l in own.split("\n")), "$ E", "$ cat > a.td <<'E'",
                             *("$ " + l for l in main.split("\n")), "$ E", "$ tdc a.td -o out.cu --diagnostics=json"])
    got = json.loads(says)
    verdict([(d["file"], d["line"], d["code"]) for d in got] == [("own.td", 4, "E0303")], f"library: {says}")


def check_explain():
    """After the last error one line names its codes, each once; --explain takes them as they stand there."""
    lines = ["export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i + 1]; }", "export fn g(x: f32[N]) -> (y: f32[N]) { y[i] = x[i - 1]; }",
             "export fn h(x: f32[N]) -> (y: f32[N]) { y[i] = z[i]; }"]
    says, _, _ = answer("a.td", lines)
    last = says.rstrip("\n").split("\n")[-1]
    verdict(last == "more about these errors: tdc --explain E0602,E0300", f"explain: {last}")
    says, status, _ = answer("", ["$ " + last.split(": ")[1]])
    verdict(status == 0 and says.count("wrong:") == 2 and "E0300: unknown name" in says, f"explain: {says}")
    says, status, _ = answer("", ["$ tdc --explain E0602,E9999"])
    verdict(status == 2 and "'E9999'" in says and "wrong:" not in says, f"explain: {says}")
    says, _, _ = answer("a.td", ["export fn f(x: f32[N]) -> (y: f32[N]) { let t[i] = x[i]; y[i] = x[i]; }"])
    verdict("W0705" in says and "--explain" not in says, f"explain: a warning alone: {says}")


def check_perf():
    """What is asked for already is not advised: a cast in a value of its own, a divisor that a require states."""
    product = "export fn f(s: bf16[M, K], v: {v}[K, N]) -> (y: bf16[M, N]) {{ {r} y[i, j] = sum[k where k <= i]({e} * v[k, j]); }}"
    for e, v, r, advised in (("bf16(exp(s[i, k]))", "bf16", "", False), ("exp(s[i, k])", "bf16", "", True)):
        says, _, _ = answer("a.td", ["// flags: -Wperf --library=none", product.format(e=e, v=v, r=r)])
        verdict("W1002" in says and ("cast the other factor" in says) == advised, f"perf: {e}: {says}")
    for r, advised in (("", True), ("require N % 128 == 0;", False), ("require N % 3 == 0;", True), ("require M > 0 && N % 8 == 0;", False)):
        r = "require K % 128 == 0; " + r  # else rows of s may be what is not aligned
        says, _, _ = answer("a.td", ["// flags: -Wperf --library=none", product.format(e="bf16(exp(s[i, k]))", v="bf16", r=r)])
        verdict(("dim N divisible" in says) == advised, f"perf: {r}: {says}")


def check_many():
    """Many mistakes in one file: as many errors, each where it is."""
    bad = [
        ("y[i] = inptu[i];", "E0300"), ("y[i] = x[j];", "E0309"), ("y[i] = x[i + 1];", "E0602"), ("y[i] = sqr(x[i]);", "E0303"),
        ("y[i] = x[i] + ;", "E0200"), ("y[i] = x;", "E0412"), ("y[i] = x[i, i];", "E0500"), ("y[i] = sum[k](x[2 * k]);", "E0600"),
        ("q[i] = x[i];", "E0310"), ("y[i] = exp(x[i], 1.0);", "E0408"), ("y[i] = y[i];", "E0711"), ("x[i] = x[i];", "E0706"),
        ("y[i] = x[i] and x[i];", "E0207"), ("y[i] = if x[i] then 1.0 else 0.0;", "E0403"), ("let a[i] = b[i]; let b[i] = a[i]; y[i] = a[i];", "E0700"),
    ]
    lines = [f"export fn f{i}(x: f32[N]) -> (y: f32[N]) {{ {text} }}" for i, (text, _) in enumerate(bad)]
    says, status, _ = answer("many.td", lines)
    got = re.findall(r"^many.td:(\d+):\d+: error\[(E\d+)\]", says, re.M)
    # a file with errors of syntax is read to its end, then nothing is made of it
    syntax = [(str(i + 1), c) for i, (_, c) in enumerate(bad) if c.startswith("E02")]
    verdict(got == syntax, f"many errors: {got} instead of {syntax}")
    rest = [(t, c) for t, c in bad if not c.startswith("E02")]
    lines = [f"export fn f{i}(x: f32[N]) -> (y: f32[N]) {{ {text} }}" for i, (text, _) in enumerate(rest)]
    says, status, _ = answer("many.td", lines)
    got = re.findall(r"^many.td:(\d+):\d+: error\[(E\d+)\]", says, re.M)
    want = [(str(i + 1), c) for i, (_, c) in enumerate(rest)]
    verdict(got == want, f"many errors: {got} instead of {want}")
    says, _, _ = answer("many.td", [f"export fn g{i}(x: f32[N]) -> (y: f32[N]) {{ y[i] = z{i}[i]; }}" for i in range(70)])
    verdict(len(reported(says)) == 50 and re.search(r"^and \d+ more errors$", says, re.M), f"70 errors:\n{says[-300:]}")


def main():
    rows, ex = codes(), examples()
    check_json()
    check_many()
    check_library()
    check_perf()
    check_explain()
    verdict(len(rows) >= 80, f"only {len(rows)} codes")
    emitted = "".join(
        p.read_text() for d in ("ir", "frontend", "sched", "backend_cuda", "grammar")
        for p in (ROOT / d).rglob("*") if p.suffix in (".c", ".h", ".re", ".y"))
    for code, name in rows.items():
        verdict(code in ex or code in WITHOUT, f"{code} ({name}) has no example in ir/diag_examples.txt")
        use = code in WITHOUT or re.search(r"\bDIAG_%s\b|REPORT\(\w+, %s," % (name, name), emitted)
        verdict(use, f"{code}: nobody reports DIAG_{name}")
    for code in ex:
        verdict(code in rows, f"{code} of ir/diag_examples.txt is no code of ir/diags.def")
    for module in (ROOT / "stdlib").glob("*.td"):
        verdict(f'"{module.stem}"' in emitted, f"no help proposes to import {module.stem} (frontend/sema/sema_names.c)")
    run = lambda *a: subprocess.run([TDC, *a], capture_output=True, text=True).stdout
    with ThreadPoolExecutor(2) as pool:
        known = [c for c in ex if c in rows]
        says = list(pool.map(lambda c: check_code(c, ex[c], run("--explain", c)), known))
    golden(HERE / "codes.txt", "\n".join(f"== {c} {rows[c]}\n{s}" for c, s in zip(known, says)))
    for td in sorted((HERE / "mistakes").glob("*.td")):
        says, status, _ = answer(td.name, td.read_text().split("\n"))
        verdict(status == 1 and len(reported(says)) == 1, f"{td.name}: one mistake gives one error, not {reported(says)}")
        golden(td.with_suffix(".txt"), without_places(says))
    for f in failed:
        print(f)
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
