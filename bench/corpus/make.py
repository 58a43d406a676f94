#!/usr/bin/env python3
"""From what `corpus emit` prints to a folder for the GPU machine: cubins of many kernels each, and plan.txt, which
runner.c reads (README.md).

    make.py plan EMITTED HEAD DIR      writes DIR/N.cu, plan.txt, schedules.tsv
    make.py compile DIR FROM TO JOBS   N.cu to N.cubin for a range of the files
    make.py store RESULTS SCHEDULES    into FAMILY.tsv beside this file, with what they hold
"""
import itertools
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

PER_FILE = 32
KERNEL = re.compile(
    r"static void \(\*const td_(\w+)_of\[\]\)\(\w+\) = \{\n(.*?)\};\n.*?"
    r"const \w+_args args = \{(.*?)\};\n(.*?)"
    r"return \(int\)td_launch\(td_\w+_of\[([^;]*?)\], args, ([^;]*?), launched, \(cudaStream_t\)stream\);\n"
    r"\}\n[^\n]*\n\n?", re.S)


class Unfit(Exception):
    """A launch that is not known before the program runs."""


def split_top(text, opening="(<[", ending=")>]"):
    """A list of C at its commas outside of brackets."""
    out, depth, at = [], 0, 0
    for i, ch in enumerate(text):
        depth += (ch in opening) - (ch in ending)
        if ch == "," and depth == 0:
            out.append(text[at:i].strip())
            at = i + 1
    return [x for x in out + [text[at:].strip()] if x]


def lane_bits(n):
    """td_lane_bits of backend_cuda/prelude/threads.cuh."""
    return min(max(n - 1, 0).bit_length(), 5)


def lane_blocks(blocks, n):
    rows = 32 >> lane_bits(n)
    return (blocks + rows - 1) // rows


CALLS = {"__builtins__": {}, "td_lane_bits": lane_bits, "td_lane_blocks": lane_blocks}


def number(text, names):
    s = re.sub(r"\(uintptr_t\)args\.\w+", "0", text)
    s = re.sub(r"\((?:double|int64_t|long long|int)\)", "", s)
    s = s.replace("&&", " and ").replace("||", " or ").replace("INT32_MAX", "2147483647").replace("/", "//")
    s = re.sub(r"!(?!=)", " not ", s)
    s = re.sub(r"\b(\d+)(?:LL|ULL|u|ull|ll)\b", r"\1", s)
    s = s.replace("true", "True").replace("false", "False")
    try:
        return int(eval(s.strip(), CALLS, names))  # pylint: disable=eval-used
    except Exception as e:
        raise Unfit(f"{text}: {e}") from e


def closing(text, at):
    """Where the bracket at `at` ends."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    raise Unfit(f"{text}: a bracket does not end")


def value(text, names):
    """An expression of a launcher at the case's sizes; tensors are aligned as the runner allocates them."""
    at = 0
    while (at := text.find("(", at)) >= 0:
        end = closing(text, at)
        if " ? " in text[at:end]:
            text = text[:at] + str(value(text[at + 1:end], names)) + text[end + 1:]
        at += 1
    condition, question, rest = text.partition(" ? ")
    if not question:
        return number(text, names)
    yes, _, no = rest.partition(" : ")
    return value(yes if number(condition, names) else no, names)


def divmod_words(n):
    """A td_divmod (backend_cuda/prelude/integers.cuh) as two words of 64 bits: the divisor; its factor and shift."""
    if not 1 <= n <= 2**31 - 1:
        return n, 0
    shift = (n - 1).bit_length()
    return n, -(-(1 << 31 + shift) // n) | shift << 32


def launches(text, space, sizes):
    """The kernels of a program: its text for the device alone, and a line for each launch."""
    lines, out, at = [], [], 0
    for m in KERNEL.finditer(text):
        name, table, args, conditions, index, launch = m.groups()
        grid, threads, cluster, shared = split_top(launch, "(", ")")  # comparisons are no brackets
        names = dict(sizes)
        for c in re.finditer(r"const bool (\w+) = (.*);\n", conditions):
            names[c[1]] = value(c[2], names)
        instance = split_top(table)[int(value(index, names))]
        if "<" in instance:
            out.append(text[at:m.start()] + f"template __global__ void {instance}(const __grid_constant__ {name}_args arg);\n\n")
        else:
            out.append(text[at:m.start()] + "\n")
        at = m.end()
        given = []
        for a in split_top(args):
            t = re.fullmatch(r"\(.*\*\)tensors\[(\d+)\]", a)
            if "scalars[" in a:
                raise Unfit("a scalar")
            if by := re.fullmatch(r"td_divmod_of\((.*)\)", a):
                given += [f"n{x}" for x in divmod_words(int(value(by[1], names)))]
            else:
                given.append(f"t{t[1]}" if t else f"n{int(value(a, names))}")
        symbol = f"_ZN{len(space)}{space}{len(name)}{name}"
        lines.append(f"l {symbol} {int(value(grid, names))} {int(value(threads, names))} {cluster} {shared} {' '.join(given)}")
    out.append(text[at:])
    if not lines or "td_launch(" in "".join(out):
        raise Unfit("its launcher is not as expected")
    return "".join(out), lines


class Plan:
    def __init__(self, head, where):
        self.head, self.where = head, where
        self.plan, self.table = [], []
        self.body, self.count, self.file = [], 0, 0
        self.case, self.tensors, self.extra = None, 0, None

    def flush(self):
        if self.body:
            with open(f"{self.where}/{self.file}.cu", "w") as f:
                f.write(self.head + "".join(self.body))
            self.file += 1
        self.body, self.count = [], 0

    def begin(self, words):
        name, family, sizes, groups = words
        if self.count > PER_FILE * 3 // 4:
            self.flush()
        self.case = [name, family, sizes, groups]
        self.sizes = {k: int(v) for k, v in (x.split("=") for x in sizes.split(","))}
        self.tensors, self.extra = 0, None
        self.plan.append(f"case {name} {family} {sizes}")

    def tensor(self, words):
        _, kind, kind_of, n, size, rule, lo, hi = words
        if self.extra is not None:
            self.extra.append(self.tensors)
        elif kind in ("in", "out"):
            self.params = self.tensors + 1
        self.plan.append(f"t {kind} {kind_of} {n} {size} {rule} {lo} {hi}")
        self.tensors += 1

    def schedule(self, words, line, text):
        number, origin, predicted, digest, _ = words
        if origin == "hand":  # its temporaries stand behind those of the others
            text = re.sub(r"tensors\[(\d+)\]", lambda m: f"tensors[{self.at(int(m[1]))}]", text)
        space = f"k{self.file}_{self.count}"
        try:
            device, lines = launches(text, space, self.sizes)
        except Unfit as e:
            sys.stderr.write(f"make.py: {self.case[0]} {self.case[2]} {origin}: {e}\n")
            return
        self.body.append(f"namespace {space} {{\n{device}}}\n")
        self.count += 1
        self.plan += [f"k {number} {origin} {self.file} {predicted}"] + lines
        self.table.append("\t".join(self.case[:3] + [number, origin, predicted, digest, line]))
        if self.count == PER_FILE * 3 // 2:
            self.flush()

    def at(self, i):
        return i if i < self.params else self.extra[i - self.params]


def plan(emitted, head, where):
    os.makedirs(where, exist_ok=True)
    p = Plan(open(head).read(), where)
    with open(emitted, "rb") as f:
        while line := f.readline():
            words = line.decode().split()
            if not words:
                continue
            if words[0] == "case":
                p.begin(words[1:])
            elif words[0] == "tensor":
                p.tensor(words[1:])
            elif words[0] == "hand":
                p.extra = []
            elif words[0] == "schedule":
                schedule = f.readline().decode().rstrip("\n")
                p.schedule(words[1:], schedule, f.read(int(words[5])).decode())
    p.flush()
    with open(f"{where}/plan.txt", "w") as f:
        f.write("\n".join(p.plan) + "\n")
    with open(f"{where}/schedules.tsv", "w") as f:
        f.write("\n".join(p.table) + "\n")
    print(f"{len(p.table)} kernels in {p.file} files")


def compile_one(where, i):
    cmd = ["nvcc", "-cubin", "-arch=sm_90a", "-std=c++17", "-o", f"{where}/{i}.tmp", f"{where}/{i}.cu"]
    r = subprocess.run(cmd, capture_output=True, text=True)
    if r.returncode:
        sys.stderr.write(f"make.py: {i}.cu: {r.stderr[:2000]}\n")
        open(f"{where}/{i}.failed", "w").close()
        return False
    os.rename(f"{where}/{i}.tmp", f"{where}/{i}.cubin")
    return True


def compile_all(where, first, last, jobs):
    todo = [i for i in range(first, last)
            if os.path.exists(f"{where}/{i}.cu") and not os.path.exists(f"{where}/{i}.cubin")]
    with ThreadPoolExecutor(jobs) as pool:
        ok = list(pool.map(lambda i: compile_one(where, i), todo))
    print(f"{sum(ok)} of {len(ok)} files compiled")
    return all(ok)


# ---- what is kept ----

KEPT = 33  # kernels of a case
FASTEST = 12  # of them, whatever they are


def pack(schedule):
    """i = grid warp(4); j = serial vec(8); ahead 1 | ... becomes g w4;s v8;ahead 1|..."""
    def item(text):
        _, _, factors = text.partition(" =")
        factors, peel, tensor = factors.partition(" peel ")
        short = " ".join(re.sub(r"(\w)\w*(?:\((\d+)\))?", r"\1\2", f) for f in factors.split())
        return short + f" p:{tensor}" * bool(peel)

    def group(text):  # the axes, then what is beside: of a second layout it has axes, too
        items = text.split("; ")
        axes = list(itertools.takewhile(lambda x: " =" in x, items))
        return ";".join([item(x) for x in axes] + items[len(axes):])
    return "|".join(map(group, schedule.split(" | ")))


def read_stored(path):
    """Cases by (name, sizes): the floor, and kernels by packed schedule: [hash, us, registers, flag]."""
    cases, now = {}, None
    if os.path.exists(path):
        for line in open(path):
            if line.startswith("#"):
                continue
            w = line.rstrip("\n").split("\t")
            if w[0] == "case":
                now = cases[w[1], w[2]] = {"floor": float(w[3]), "kernels": {}}
            else:
                now["kernels"][w[4]] = [w[0], float(w[1]), int(w[2]), w[3]]
    return cases


def add_case(case, floor, new):
    """Times of another run are brought to this one's by the kernels that both timed."""
    old = case["kernels"]
    both = sorted(old[k][1] / v[1] for k, v in new.items()
                  if k in old and old[k][0] == v[0] and v[3] in "ftFT" and old[k][3] in "ftFT")
    scale = both[len(both) // 2] if both else case["floor"] / floor
    for k, v in new.items():
        if k not in old or old[k][0] != v[0]:
            old[k] = [v[0], v[1] * scale, v[2], v[3]]
        elif v[3].isupper():
            old[k][3] = old[k][3].upper()


def keep(kernels):
    """The fastest, what was chosen and by hand, and of the others as many as there is room for, evenly by time."""
    order = sorted(kernels, key=lambda k: kernels[k][1])
    kept = [k for i, k in enumerate(order) if i < FASTEST or k == "by hand" or kernels[k][3].isupper()]
    rest = [k for k in order if k not in kept]
    room = max(KEPT - len(kept), 0)
    kept += [rest[i * len(rest) // room] for i in range(room)] if len(rest) > room else rest
    return [k for k in order if k in kept]


def store(results, schedules):
    families, known, floors = {}, {}, {}
    for line in open(schedules):
        name, family, sizes, number, origin, _, digest, text = line.rstrip("\n").split("\t")
        known[name, sizes, number] = (family, origin, digest[:8], pack(text))
    new = {}
    for line in open(results):
        name, sizes, number, _, us, _, registers, _, flag = line.rstrip("\n").split("\t")
        if number == "-1":
            floors[name, sizes] = float(us)
        elif (name, sizes, number) in known and flag in "tfsh":
            family, origin, digest, text = known[name, sizes, number]
            case = new.setdefault(family, {}).setdefault((name, sizes), {"kernels": {}})
            flag = flag.upper() if origin == "chosen" else flag
            case["kernels"][text] = [digest, float(us), int(registers), flag]
    for family, cases in new.items():
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), family + ".tsv")
        families = read_stored(path)
        for at, case in cases.items():
            old = families.setdefault(at, {"floor": floors[at], "kernels": {}})
            add_case(old, floors[at], case["kernels"])
        with open(path, "w") as f:
            f.write("# NVIDIA H200, L2 flushed; README.md says what the columns are.\n")
            for (name, sizes), case in families.items():
                f.write(f"case\t{name}\t{sizes}\t{case['floor']:.1f}\n")
                for k in keep(case["kernels"]):
                    digest, us, registers, flag = case["kernels"][k]
                    f.write(f"{digest}\t{us:.1f}\t{registers}\t{flag}\t{k}\n")


def main(argv):
    if len(argv) == 4 and argv[1] == "store":
        store(*argv[2:])
        return 0
    if len(argv) == 5 and argv[1] == "plan":
        plan(*argv[2:])
        return 0
    if len(argv) >= 5 and argv[1] == "compile":
        jobs = int(argv[6]) if len(argv) > 6 else os.cpu_count()
        return 0 if compile_all(argv[2], int(argv[3]), int(argv[4]), jobs) else 1
    sys.stderr.write(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
