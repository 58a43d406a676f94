"""The line that says what tdc is doing: on a terminal, after a second, gone in the end; nothing where stderr is none."""
import fcntl, os, pty, re, struct, subprocess, sys, termios, threading, time

TDC, DIR = sys.argv[1:3]
passed = failed = 0
TEXT = b"export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }\n"


def verdict(ok, what):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("FAILED:", what)


def feed(path, seconds):
    """Writes the source into a pipe, which keeps tdc reading so long."""
    with open(path, "wb") as f:
        f.write(TEXT[:20])
        f.flush()
        time.sleep(seconds)
        f.write(TEXT[20:])


def run(args, seconds, terminal=True, columns=80, **env):
    """Status, what stderr got, and stdout."""
    path = os.path.join(DIR, args[0])
    if not os.path.exists(path):
        os.mkfifo(path)
    if terminal:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    else:
        master, slave = os.pipe()
    p = subprocess.Popen([TDC, *args], cwd=DIR, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave,
                         env={**os.environ, "TERM": "xterm", **env})
    os.close(slave)
    start = time.monotonic()
    writer = threading.Thread(target=feed, args=(path, seconds))
    writer.start()
    got = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the other end of a terminal is closed
            break
        if not piece:
            break
        got += piece
    writer.join()
    out = p.stdout.read().decode()
    os.close(master)
    p.stdout.close()
    status = p.wait()
    times[args[0]] = time.monotonic() - start
    return status, got.decode(), out


def screen(text):
    """What a terminal shows in the end."""
    lines, at = [""], 0
    for part in re.findall(r"\x1b\[K|\x1b\[[0-9;]*m|.", text, re.S):
        if part == "\r":
            at = 0
        elif part == "\n":
            lines.append("")
            at = 0
        elif part == "\x1b[K":
            lines[-1] = lines[-1][:at]
        elif part[0] != "\x1b":
            lines[-1] = lines[-1][:at] + part + lines[-1][at + 1:]
            at += 1
    return "\n".join(lines)


results, times = {}, {}


def case(name, *args, **kw):
    def work():
        results[name] = run(*args, **kw)
    t = threading.Thread(target=work)
    t.start()
    return t


compile = lambda name: [name, "-o", name + ".cu"]
threads = [
    case("slow", compile("slow.td"), 2.6),
    case("quick", compile("quick.td"), 0),
    case("file", compile("file.td"), 1.6, terminal=False),
    case("dumb", compile("dumb.td"), 1.6, TERM="dumb"),
    case("narrow", compile("narrow.td"), 1.6, columns=20),
    case("dump", ["dump.td", "--dump=graph", "--time-passes"], 1.6),
    case("odd", compile("o\nd\x1bd.td"), 1.6),
]
for t in threads:
    t.join()
status, err, out = results["slow"]
frames = re.findall(r"\r\x1b\[K([^\r\x1b]*)", err)
verdict(status == 0 and frames[:1] == ["tdc: reading slow.td (1 s)"] and "tdc: reading slow.td (2 s)" in frames, f"slow: {status} {err!r}")
verdict("\n" not in err and screen(err) == "" and out == "", f"slow, in the end: {err!r} {out!r}")
for name in ("quick", "file", "dumb"):
    late = name == "quick" and times["quick.td"] > 0.9  # on a machine that is busy it is not quick
    verdict(late or results[name] == (0, "", ""), f"{name}: {results[name]!r}")
status, err, out = results["narrow"]
verdict(status == 0 and "\r\x1b[Ktdc: reading narrow" in err and max(map(len, re.findall(r"\r\x1b\[K([^\r\x1b]*)", err))) == 19, f"narrow: {err!r}")
status, err, out = results["dump"]
verdict(status == 0 and out.startswith("graph f") and "reading dump.td (1 s)" in err, f"dump: {status} {err!r} {out!r}")
verdict(re.fullmatch(r"(\w+ +[0-9.]+ ms\n){2,}", screen(err)), f"dump, in the end: {screen(err)!r}")
status, err, out = results["odd"]
verdict(status == 0 and "reading o?d?d.td" in err, f"odd: {err!r}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
