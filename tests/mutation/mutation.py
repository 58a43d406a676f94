"""The mutation run: each barrier, fence and wait of the kernels in tests/kernels is deleted, each store moved by one element,
one at a time, and the checks of the kernel run again on the CPU stand-in. README.md says how a mutant is caught.

    mutation.py [--keep] [KERNEL...]      all kernels without a name; --keep leaves the files of the run

Prints each survivor, a line for each kernel, and `N passed, M failed`. A kernel fails where less than 95 % are caught of the
mutants that are not listed in tests/mutation/equivalent, or where one that is listed is caught or is not there any more. From
the project's folder, after make; TDC, CXX, JOBS as in tests/run.sh; VERBOSE=1 prints every mutant."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True # the project has no folder for it
import instrument

LEAST = 0.95
HERE = os.path.dirname(os.path.abspath(__file__))
TDC = os.path.abspath(os.environ.get("TDC") or os.path.join(os.environ.get("B", "build"), "tdc"))
CXX = os.environ.get("CXX") or "g++"
BUILD_S, CHECK_S, LEAST_S = 600, 1200, 10  # seconds; a mutant may take LEAST_S or 20 times what the kernel takes

# Stands for the C++ compiler under `tdc check`: the emitted file is instrumented before it is compiled, and the program that
# comes out of linking is kept, with a script in its place that keeps each call's inputs and outputs too. All kernels have it
# under one name, so that the stand-in's own object, which takes seconds, is compiled once.
WRAPPER = """#!/bin/sh
work=$TD_MUTATION_WORK
for a; do case $a in *.cu) cu=$a ;; */model) program=$a ;; esac; done
if [ -n "$cu" ]; then
    cp "$cu" "$work/model.cu"
    '%(python)s' '%(here)s/mutation.py' --instrument "$work/model.cu" "$cu" >"$work/sites" || exit 1
fi
%(cxx)s "$@" || exit 1
[ -n "$program" ] || exit 0
mv "$program" "$work/program" && cp "$work/keep" "$program"
"""
KEEP = """#!/bin/sh
n=$(ls '%(work)s' | grep -c '^case')
TD_MUTANT_SEEN='%(work)s/seen' '%(work)s/program' "$1" && cp -r "$1" '%(work)s'/case$n
"""
# Instead of a compiler where a mutant's results are compared with the reference: nothing is compiled again.
AGAIN = """#!/bin/sh
for a; do
    [ "$last" = -o ] && out=$a
    last=$a
done
case $out in */model) cp '%(work)s/again' "$out" ;; *) : >"$out" ;; esac
"""
AGAIN_RUN = """#!/bin/sh
exec '%(work)s/program' "$1"
"""


def write_script(path, text, work=""):
    with open(path, "w") as f:
        f.write(text % {"work": work, "here": HERE, "cxx": CXX, "python": sys.executable})
    os.chmod(path, 0o755)


class Kernel:
    def __init__(self, name, top):
        self.name = name
        self.work = os.path.join(top, name)
        self.sites, self.cases, self.error, self.seconds = [], [], "", 0.0
        self.outcomes = {}
        self.equivalent = self.listed()

    def listed(self):
        """Statement and reason of the mutants that cannot be caught: lines `KERNEL: STATEMENT: REASON`. The second
        of equal statements is `STATEMENT #2`."""
        with open(os.path.join(HERE, "equivalent")) as f:
            lines = [line.rstrip("\n").split(": ", 2) for line in f if line.strip() and line[0] != "#"]
        return {statement: reason for kernel, statement, reason in lines if kernel == self.name}

    def script(self, name, text):
        write_script(os.path.join(self.work, name), text, self.work)

    def check(self, environment):
        """`tdc check` of the kernel, with further check statements from tests/mutation/NAME.checks."""
        td = os.path.join(self.work, self.name + ".td")
        return subprocess.run([TDC, "check", td, "--emu", "--kernels", os.path.join("tests/kernels", self.name + ".kernel")],
                              env=dict(os.environ, TMPDIR=self.work, **environment), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=CHECK_S)

    def prepare(self):
        os.makedirs(self.work)
        shutil.copy("tests/kernels/%s.td" % self.name, self.work)
        more = os.path.join(HERE, self.name + ".checks")
        if os.path.exists(more):
            with open(os.path.join(self.work, self.name + ".td"), "a") as out, open(more) as f:
                out.write(f.read())
        self.script("keep", KEEP)
        self.script("again", AGAIN_RUN)
        done = self.check({"CXX": os.path.join(os.path.dirname(self.work), "cxx"), "TD_MUTATION_WORK": self.work})
        if done.returncode:
            self.error = "the checks fail without a mutant:\n" + done.stdout
            return
        with open(os.path.join(self.work, "sites")) as f:
            for line in f:
                number, kind, text = line.rstrip("\n").split("\t")
                before = sum(1 for s in self.sites if s[2].split(" #")[0] == text)
                self.sites.append((number, kind, "%s #%d" % (text, before + 1) if before else text))
        with open(os.path.join(self.work, "seen")) as f:
            self.seen = {int(line) for line in f}
        self.find_cases()

    def find_cases(self):
        """The calls that `tdc check` made, the quickest first. A refused call runs no kernel."""
        for d in sorted(os.listdir(self.work)):
            path = os.path.join(self.work, d)
            if d.startswith("case") and any(f.endswith(".out") for f in os.listdir(path)):
                begin = time.monotonic()
                self.run(path, 0, BUILD_S)
                self.cases.append((time.monotonic() - begin, path))
        self.cases.sort()

    def run(self, case, mutant, seconds):
        """One call under a mutant: why it is caught, or nothing."""
        with tempfile.TemporaryDirectory(dir=self.work) as place:
            outs = []
            for f in os.listdir(case):
                if f == "request" or f.endswith(".in"):
                    os.symlink(os.path.join(case, f), os.path.join(place, f))
                elif re.search(r"\.out\d?$", f):
                    outs.append(f)
            try:
                done = subprocess.run([os.path.join(self.work, "program"), place], timeout=seconds, text=True,
                                      env=dict(os.environ, TD_MUTANT=str(mutant)), stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
            except subprocess.TimeoutExpired:
                return "hangs"
            report = re.search(r"^td_emu: error: ([\w-]+):", done.stdout, re.M)
            if report:
                return "report: " + report.group(1)
            if done.returncode:
                return "ends by status %d" % done.returncode
            with open(os.path.join(place, "reply")) as f:
                reply = f.read()
            if "fault" in reply or not reply.endswith("done\n"):
                return "fault: " + reply.splitlines()[0][6:] if reply else "no reply"
            for f in outs:
                with open(os.path.join(case, f), "rb") as a, open(os.path.join(place, f), "rb") as b:
                    if a.read() != b.read():
                        return "bytes"
        return ""

    def reference_differs(self, mutant):
        done = self.check({"CXX": os.path.join(self.work, "cxx-again"), "CC": os.path.join(self.work, "cxx-again"),
                           "TD_MUTANT": str(mutant)})
        return done.returncode == 1

    def mutant(self, k):
        if k not in self.seen:
            self.outcomes[k] = "", "the checks do not come here"
            return
        why = ""
        for seconds, case in self.cases:
            why = self.run(case, k, max(LEAST_S, 20 * seconds))
            if why:
                break
        if why == "bytes": # equal bits are more than the language promises: the reference decides
            why = "wrong result" if self.reference_differs(k) else ""
        self.outcomes[k] = why, "" if why else "runs as before"


def report(k, kinds):
    """One kernel's lines; whether it passes, and its numbers of mutants: caught, equivalent, all."""
    counts, wrong, met = [0, 0, len(k.sites)], [], set()
    for i, (why, note) in sorted(k.outcomes.items()):
        line, _, text = k.sites[i - 1]
        reason = k.equivalent.get(text)
        met.add(text)
        kinds[why] = kinds.get(why, 0) + 1
        counts[0] += bool(why)
        counts[1] += bool(reason) and not why
        if reason and why:
            wrong.append("listed as equivalent, but caught: " + text)
        state = "caught  " if why else "SAME    " if reason else "SURVIVES"
        if os.environ.get("VERBOSE") or not why:
            print("%s %s.cu:%s: %s: %s" % (state, k.name, line, why or reason or note, text))
    wrong += ["listed as equivalent, but not there: " + text for text in k.equivalent if text not in met]
    for w in wrong:
        print("%s: %s" % (k.name, w))
    caught, same, total = counts
    ok = total and not wrong and caught >= LEAST * (total - same)
    print("%s %-24s %3d of %3d caught%s" % ("ok      " if ok else "FAILED  ", k.name, caught, total,
                                            ", %d equivalent" % same if same else ""))
    return ok, counts


def table(kernels):
    kinds, passed, failed, sums = {}, 0, 0, [0, 0, 0]
    for k in kernels:
        if k.error:
            print("FAILED  %s: %s" % (k.name, k.error))
            failed += 1
            continue
        ok, counts = report(k, kinds)
        passed, failed = passed + bool(ok), failed + (not ok)
        sums = [a + b for a, b in zip(sums, counts)]
    kinds.pop("", None)
    print("%d of %d mutants caught (%.1f %%), %d equivalent: %s" % (*sums[::2], 100.0 * sums[0] / max(1, sums[2]), sums[1], ", ".join(
        "%s %d" % (why, n) for why, n in sorted(kinds.items(), key=lambda x: -x[1]))))
    print("%d passed, %d failed" % (passed, failed))
    return failed == 0 and passed > 0


def main(names, keep):
    names = names or sorted(f[:-7] for f in os.listdir("tests/kernels") if f.endswith(".kernel"))
    top = tempfile.mkdtemp(prefix="tdc-mutation-")
    try:
        kernels = [Kernel(name, top) for name in names]
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count() or 1)) as pool:
            write_script(os.path.join(top, "cxx"), WRAPPER)
            kernels[0].prepare() # which leaves the stand-in's object in tdc's cache
            list(pool.map(Kernel.prepare, kernels[1:]))
            for k in kernels:
                if not k.error:
                    k.script("cxx-again", AGAIN)
            list(pool.map(lambda x: x[0].mutant(x[1]), [(k, i + 1) for k in kernels for i in range(len(k.sites))]))
        return table(kernels)
    finally:
        if keep:
            print("kept in", top, file=sys.stderr)
        else:
            shutil.rmtree(top, ignore_errors=True)


def instrument_file(source, to):
    with open(source) as f:
        text, sites = instrument.instrument(f.read())
    with open(to, "w") as f:
        f.write(text)
    for s in sites:
        print("%d\t%s\t%s" % (s["line"], s["kind"], s["text"]))


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--instrument"]:
        instrument_file(arguments[1], arguments[2])
        sys.exit(0)
    sys.exit(0 if main([a for a in arguments if a != "--keep"], "--keep" in arguments) else 1)
