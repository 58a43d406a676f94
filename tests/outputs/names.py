"""File names that make would misread: an import and outputs of each name, as a prerequisite, as a target, and gone."""
import os, subprocess, sys, time

TDC, DIR = sys.argv[1:3]
passed = failed = 0


def make(*args):
    r = subprocess.run(["make", "-f", "x.mk", *args], capture_output=True, text=True)
    return r.stdout.count("made"), r.returncode, r.stderr


for i, name in enumerate(["a b", "a#b", "a$b", "a:b", "a%b", "a*b", "a?b", "a[b]", "a=b", "a&b", "~a", r"a\b", r"a\ b", r"a\\#b", "a'b", "a(b)", "a\\", "a,b", "ä"]):
    here = os.path.join(DIR, str(i))
    os.mkdir(here)
    os.chdir(here)
    lib = name + ".td"
    with open(lib, "w") as f:
        f.write("fn one(x: f32) -> f32 = x;\n")
    with open("m.td", "w") as f:
        f.write('import "./%s"; export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = one(x[i]); }\n' % lib.replace("\\", "\\\\"))
    with open("x.mk", "w") as f:
        f.write("all:\n%.cu:\n\t@echo made\nout:\n\t@echo made\ninclude x.d\n")
    goal = "./" + name + ".cu"
    got = []
    for target, args in (("out", ["-MT", "out"]), (goal, ["-MP"]), ("out", ["-MP", "-MT", "out"])):
        r = subprocess.run([TDC, "m.td", "-o", goal, "-MD", "-MF", "x.d", *args], capture_output=True, text=True)
        got.append((r.returncode, r.stderr))
        open("out", "w").close()
        now = time.time()
        for f in (lib, "m.td"):
            os.utime(f, (now - 100, now - 100))
        if target != goal or "=" not in name:  # make would take that goal for a variable
            got.append(make(target))
            os.utime(target, (now - 200, now - 200))
            got.append(make(target))
            os.utime(target, (now, now))
    os.rename(lib, "gone")
    got.append(make("out"))
    want = [(0, ""), (0, 0, ""), (1, 0, "")] * 3 + [(1, 0, "")]
    if "=" in name:
        want = want[:4] + want[6:]
    if got == want:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: the name {name}: {got}\n{open('x.d').read()}")
with open("a;b.td", "w") as f:
    f.write("export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }\n")
r = subprocess.run([TDC, "a;b.td", "-o", "m.cu", "-MD"], capture_output=True, text=True)
ok = r.returncode == 2 and "no makefile can name" in r.stderr and not os.path.exists("m.cu")
print(f"{passed + ok} passed, {failed + (not ok)} failed")
sys.exit(failed > 0 or not ok)
