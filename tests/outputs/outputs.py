"""Outputs appear whole or not at all, and all of them or none: every call that writes them fails once, and ends the process
once (every third call does, by turns; with TDC_EVERY=1 each). Then interrupts while a source is read, and disks that are full."""
import os, re, signal, subprocess, sys, time

TDC, SHIM, DIR = sys.argv[1:4]
NEW, OLD = {}, {}
passed = failed = 0


def verdict(ok, what):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("FAILED:", what)


def path(name):
    return os.path.join(DIR, name)


def tdc(*args, env=None, **more):
    e = dict(os.environ, ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")
    e.update(env or {})
    return subprocess.run([TDC, *args], cwd=DIR, env=e, stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)


def content():
    r = {}
    for name in sorted(os.listdir(path("out"))):
        with open(path("out/" + name)) as f:
            r[name] = f.read()
    return r


def start(files):
    for name in os.listdir(path("out")):
        os.remove(path("out/" + name))
    for name, text in files.items():
        with open(path("out/" + name), "w") as f:
            f.write(text)


ARGS = ["model.td", "-o", "out/a.cu", "-MD", "-MP"]


def fault(before, how, without, at):
    start(before)
    env = {"LD_PRELOAD": SHIM, "FAULT_AT": str(at), "FAULT_HOW": how, "FAULT_WITHOUT": without, "FAULT_COUNT": path("count")}
    if os.path.exists(path("count")):
        os.remove(path("count"))
    r = tdc(*ARGS, env=env)
    with open(path("count")) as f:
        last = int(f.read()) < at
    got = content()
    what = f"call {at}, {how}, without {without or 'nothing'}, {len(before)} files before: status {r.returncode}, {sorted(got)} {r.stderr}"
    if r.returncode == -signal.SIGKILL:
        for name, text in got.items():
            stem = name.split(".new-")[0].split(".old-")[0]
            whole = text in (NEW[stem], before.get(stem))
            verdict(whole or (without == "unnamed" and ".new-" in name), what + ": " + name)
        verdict(all(name in got for name in before), what + ": one is gone")
        if got.get("a.cu") == NEW["a.cu"]:
            verdict(all(got.get(name) == NEW[name] for name in NEW), what + ": a.cu is newer than others")
        r = tdc(*ARGS)
        got = content()
        verdict(all(got.get(name) == NEW[name] for name in NEW), what + ": the next run")
    elif r.returncode in (0, -signal.SIGTERM):
        verdict(got == NEW or (r.returncode and got == before), what)
    else:
        verdict(r.returncode == 3 and "cannot write" in r.stderr and got == before, what)
    return last


def interrupted(number):
    """While the source, a pipe, is read."""
    start(OLD)
    # nohup, and shells for what they put in the background, ignore signals, and children inherit that
    p = subprocess.Popen([TDC, "pipe.td", "-o", "out/a.cu", "-MD"], cwd=DIR, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         preexec_fn=lambda: number != signal.SIGKILL and signal.signal(number, signal.SIG_DFL))
    with open(path("pipe.td"), "w") as f:
        f.write("export fn")
        f.flush()
        p.send_signal(number)
        p.wait(20)
    p.stderr.close()
    verdict(p.returncode == -number and content() == OLD, f"signal {number}: status {p.returncode}, {sorted(content())}")


def full():
    r = tdc("model.td", "--emit=cu", "-o", "/dev/full")
    verdict(r.returncode == 3 and "cannot write /dev/full: No space left" in r.stderr, "/dev/full: " + r.stderr)
    # a disk of 8 KiB, where one can be made
    script = 'mount -t tmpfs -o size=8k none out && "$0" model.td -o out/a.cu; s=$?; ls -A out | wc -l; exit $s'
    r = subprocess.run(["unshare", "-rm", "bash", "-c", script, TDC], cwd=DIR, capture_output=True, text=True)
    if "tmpfs" in r.stderr or "unshare" in r.stderr or "mount" in r.stderr:
        print("skipped a full disk: no file system can be mounted here")
    else:
        verdict(r.returncode == 3 and "No space left" in r.stderr and r.stdout.strip() == "0", f"a full disk: {r.stdout} {r.stderr}")
    for limit in (0, 1, 2000, 9000):
        start(OLD)
        import resource
        r = tdc(*ARGS, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        verdict(r.returncode == 3 and "File too large" in r.stderr and content() == OLD, f"a limit of {limit}: {r.returncode} {r.stderr}")


def large():
    """What is too long to be kept in memory on its way: no other files for it, and no others when that fails."""
    import resource
    with open(path("large.td"), "w") as f:
        for k in range(3300):
            m = "M" if k % 2 else "L"
            f.write(f"export fn e{k}(x: f32[{m}, N]) -> (y: f32[{m}, N]) {{ y[i, j] = x[i, j] + {k}.0; }}\n")
    args = ["large.td", "-o", "out/a.cu"]
    start({})
    r = tdc(*args)
    new = content()
    verdict(r.returncode == 0 and sorted(new) == ["a.c", "a.cu", "a.h"], f"large: {r.returncode} {sorted(new)} {r.stderr}")
    verdict(len(new["a.c"]) > 9 << 19 and all(f"e{k}_run(" in new["a.c"] for k in range(3300)), "large: a.c has all entries")
    tables = set(re.findall(r"^    \{&td_(\w+)_signature, ", new["a.c"], re.M))
    made = re.findall(r"^static const td_argument td_(\w+)_tensors", new["a.c"], re.M)
    verdict(made == ["e0", "e1"] and tables == set(made), f"large: equal tables stand once: {made}")
    dump = tdc("large.td", "-o", "out/a.cu", "--dump=host").stdout
    verdict(dump.split("\n")[2:] == new["a.c"].split("\n")[2:], "large: --dump=host is a.c")
    for limit in (3 << 20, 9 << 19):  # the file on the way, the output
        start(OLD)
        r = tdc(*args, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        verdict(r.returncode == 3 and "File too large" in r.stderr and content() == OLD, f"large, a limit of {limit}: {r.returncode} {r.stderr}")
    for at, without in ((0, "links"), (1, ""), (2, ""), (500, ""), (900, ""), (3, "unnamed")):
        start({})
        env = {"LD_PRELOAD": SHIM, "FAULT_AT": str(at), "FAULT_HOW": "fail", "FAULT_WITHOUT": without, "FAULT_COUNT": path("count")}
        r = tdc(*args, env=env)
        got = content()
        told = r.returncode == 3 and "cannot write" in r.stderr and not got
        whole = r.returncode == 0 and got == new
        verdict(told and at > 0 or whole and at < 2, f"large, call {at} fails: {r.returncode} {sorted(got)} {r.stderr}")


os.mkdir(path("out"))
with open(path("lib.td"), "w") as f:
    f.write("fn twice(x: f32) -> f32 = 2 * x;\n")
with open(path("model.td"), "w") as f:
    f.write('import "./lib.td"; export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = twice(x[i]); }\n')
os.mkfifo(path("pipe.td"))
verdict(tdc(*ARGS).returncode == 0, "a plain run")
NEW = content()
OLD = {name: "old " + name for name in NEW}
verdict(sorted(NEW) == ["a.c", "a.cu", "a.d", "a.h"], f"outputs: {sorted(NEW)}")
every = 1 if os.environ.get("TDC_EVERY") == "1" else 3
first = 0
for before in ({}, OLD):
    for how, without in (("fail", ""), ("kill", ""), ("term", ""), ("fail", "unnamed"), ("kill", "unnamed"), ("term", "unnamed"), ("fail", "links")):
        at = first = first % every + 1
        while at < 200 and not fault(before, how, without, at):
            at += every
        verdict(10 < at < 200, f"{at} calls were seen")
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
    interrupted(number)
full()
large()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
