"""Counts the instructions of operators for sched/search/issue.def: python3 tests/issue/count.py [--check]

Each operator is compiled for f32 in kernels of two and of four of them, beside kernels of as many sums; half of what
the differences differ in is one operator. Of a kernel the shortest way from its beginning to its end is counted, on
which nothing rare happens. Needs nvcc, and cuobjdump (CUOBJDUMP=PATH where it is not on the path). --check compares
with the table and fails where a row is off by more than a third and two instructions.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
TABLE = os.path.join(ROOT, "sched", "search", "issue.def")
TDC = os.path.join(os.environ.get("B", os.path.join(ROOT, "build")), "tdc")
PIPES = ("fma", "alu", "special", "other")
KINDS = {"CALL", "INFIX", "PREFIX", "FORM"}
# A product becomes part of the sum that it is tried in; the shortest way through the others is a rare one.
BY_HAND = {"MUL", "LGAMMA", "DIGAMMA"}


def operators():
    """(name, number of operands, the operator on operands a, b, c as td) of ops.def."""
    text = open(os.path.join(ROOT, "ir", "ops.def")).read()
    rows = re.findall(r'^OP\((\w+), "([^"]*)", (-?\d+), (\w+), (\w+)', text, re.M)
    rows += [(n, t, "2", "INFIX", "COMPARE") for n, t in re.findall(r'^COMPARISON\((\w+), "([^"]*)"', text, re.M)]
    for name, sign, arity, form, rule in rows:
        if form not in KINDS or name in BY_HAND or rule in ("NONE", "RANDOM", "INT", "LOGIC"):
            continue
        n = int(arity)
        if name == "IF":
            yield name, 3, "(if a > 0.0 then b else c)"
        elif form == "INFIX":
            yield name, n, f"(a {sign} b)" if rule == "ARITH" else f"(if a {sign} b then 1.0 else 2.0)"
        elif form == "PREFIX":
            yield name, n, f"({sign}a)"
        else:
            call = f"{sign}({', '.join('abc'[:n])})"
            yield name, n, f"(if {call} then 1.0 else 2.0)" if rule == "TEST" else call


def entry(name, times, n, of):
    """An export that sums so many of the operator, each of operands of its own."""
    def one(k):
        return re.sub(r"\b([abc])\b", rf"\g<1>{k}[i]", of)
    operands = ", ".join(f"{o}{k}: f32[65536]" for k in range(times) for o in "abc"[:n])
    return f"export fn {name}({operands}) -> (y: f32[65536]) {{ y[i] = {' + '.join(one(k) for k in range(times))}; }}\n"


def pipe(op):
    if op.startswith(("FADD", "FMUL", "FFMA", "HADD2", "HFMA2", "HMUL2")) or (op.startswith("IMAD") and ".MOV" not in op):
        return "fma"
    if op.startswith(("MUFU", "F2I", "I2F", "F2F", "FRND", "DADD", "DMUL", "DFMA")):
        return "special"
    if op.startswith(("BRA", "BSSY", "BSYNC", "CALL", "RET", "MOV", "IMAD.MOV", "NOP", "WARPSYNC", "LDC", "ULDC", "UMOV", "EXIT")):
        return "other"
    return "memory" if op.startswith(("LDG", "STG", "S2R", "LDL", "STL")) else "alu"


def shortest(code):
    """Counts by pipe on the way with the fewest instructions; code: (address, predicated, opcode, target)."""
    place = {a: i for i, (a, _, _, _) in enumerate(code)}
    best = {0: collections.Counter()}
    queue = collections.deque([0])
    end = None
    while queue:
        i = queue.popleft()
        if i >= len(code):
            continue
        _, predicated, op, target = code[i]
        count = best[i] + collections.Counter([pipe(op)])
        if op.startswith("EXIT") and not predicated:
            end = count if end is None or sum(count.values()) < sum(end.values()) else end
            continue
        following = [i + 1] if predicated or not op.startswith(("BRA", "RET")) else []
        if op.startswith("BRA") and target in place:
            following.append(place[target])
        for k in following:
            if k not in best or sum(count.values()) < sum(best[k].values()):
                best[k] = count
                queue.append(k)
    return end


def functions(sass):
    name, code = None, []
    for line in sass.splitlines():
        f = re.search(r"Function : (\S+)", line)
        if f:
            if name:
                yield name, code
            name, code = f.group(1), []
        m = re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(@!?U?P\d+ )?\s*([A-Z0-9_.]+)(.*?);", line)
        if m:
            target = re.findall(r"0x([0-9a-f]+)", m.group(4))
            code.append((int(m.group(1), 16), bool(m.group(2)), m.group(3), int(target[-1], 16) if target else -1))
    if name:
        yield name, code


def count():
    ops = list(operators())
    sums = [(f"SUM{n}", n, "(" + " + ".join("abc"[:n]) + ")") for n in (1, 2, 3)]
    with tempfile.TemporaryDirectory() as at:
        source = os.path.join(at, "o.td")
        with open(source, "w") as f:
            for name, n, of in ops + sums:
                for times in (2, 4):
                    f.write(entry(f"op_{name}_{times}", times, n, of))
        subprocess.run([TDC, source, "--without=choose,simplify,same", "-o", os.path.join(at, "o.cu")], check=True)
        subprocess.run(["nvcc", "-arch=sm_90a", "-std=c++17", "-cubin", "-o", os.path.join(at, "o.cubin"), os.path.join(at, "o.cu")],
                       check=True)
        sass = subprocess.run([os.environ.get("CUOBJDUMP", "cuobjdump"), "-sass", os.path.join(at, "o.cubin")], check=True,
                              capture_output=True, text=True).stdout
    found = {}
    for name, code in functions(sass):
        m = re.search(r"op_([A-Z0-9_]+?)_([24])_y", name)
        if m:
            found[m.group(1), int(m.group(2))] = shortest(code)
    table = {}
    for name, n, of in ops:
        if (name, 2) not in found or (name, 4) not in found:
            continue
        row = {}
        for p in PIPES:
            half = (found[name, 4][p] - found[name, 2][p]) / 2
            less = (found[f"SUM{n}", 4][p] - found[f"SUM{n}", 2][p]) / 2 - (n - 1 if p == "fma" else 0)
            chosen = 1 if p == "alu" and of.startswith("(if ") and name != "IF" else 0  # what tells a bool
            row[p] = max(0.0, half - less - chosen)
        table[name] = row
    return table


def main():
    table = count()
    text = open(TABLE).read()
    rows = {m[0]: [float(v) for v in m[1:]] for m in re.findall(r"^ISSUE\((\w+), ([\d.]+), ([\d.]+), ([\d.]+), ([\d.]+)\)", text, re.M)}
    if "--check" not in sys.argv:
        for name, row in table.items():
            print(f"ISSUE({name}, {', '.join(f'{row[p]:g}' for p in PIPES)})")
        return 0
    bad = [n for n, row in table.items() if n not in rows or abs(sum(rows[n]) - sum(row.values())) > 2 + sum(row.values()) / 3]
    for n in bad:
        print(f"issue.def has {rows.get(n)} of {n}, counted {[table[n][p] for p in PIPES]}")
    print(f"{len(table) - len(bad)} passed, {len(bad)} failed")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
