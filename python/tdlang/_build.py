"""Compiles a td file into a shared library in a cache, and loads it."""
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

from ._model import load

STAND_IN_FLAGS = "-std=c++17 -O2 -fPIC -fno-semantic-interposition -fno-gnu-unique"
READ_BY_COMPILERS = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "NVCC_CCBIN", "NVCC_PREPEND_FLAGS",
                     "NVCC_APPEND_FLAGS")


class BuildError(RuntimeError):
    """What tdc or a compiler said."""


def _run(command, folder, diagnoses=False):
    """What a command printed. `diagnoses`: where its exit status is 1, what it printed says all."""
    try:
        r = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as e:
        raise BuildError(f"{command[0]}: {e.strerror}") from None
    if r.returncode == 1 and diagnoses:
        raise BuildError(r.stdout)
    if r.returncode:
        raise BuildError(f"{' '.join(command)}: exit status {r.returncode}\n{r.stdout}")
    return r.stdout


INSIDE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "compiler", "bin", "tdc")  # in a wheel that has one


def _home(tdc):
    """The folder with backend_cuda/emu: $TDC_HOME, or what tdc itself would find from where it stands."""
    places = [os.environ.get("TDC_HOME", "")]
    for start in (os.path.realpath(tdc), os.path.realpath(__file__)):
        for _ in range(4):
            start = os.path.dirname(start)
            places += [start, os.path.join(start, "share", "tdc")]
    for p in places:
        if p and os.path.exists(os.path.join(p, "backend_cuda", "emu", "runtime.cpp")):
            return p
    raise BuildError("the CPU stand-in (backend_cuda/emu) was not found: set TDC_HOME")


def compiler(given=None):
    """The tdc that is used: `given`, $TDC, the one in this package, PATH's, or that of the checkout or prefix that this
    package lies in (PREFIX/share/tdc/python/tdlang, PREFIX/lib/python3/site-packages/tdlang)."""
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.join(here, "..", "..", "build", "tdc"), os.path.join(here, "..", "..", "..", "..", "bin", "tdc")
    for p in (given, os.environ.get("TDC"), INSIDE, shutil.which("tdc"), *beside):
        if p and (os.path.exists(p) or shutil.which(p)):
            return os.path.abspath(p) if os.path.exists(p) else p
    raise BuildError("tdc was not found: put it into PATH, set TDC to it, or install the wheel that has it (make wheel)")


def _command(variable, *usual):
    """A compiler, as make takes CC: the words of a variable are a command and perhaps its first arguments."""
    return os.environ.get(variable, "").split() or list(usual)


def _nvcc():
    """As _command; nothing where there is none."""
    found, usual = shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc"
    return _command("NVCC", *([found] if found else [usual] if os.path.exists(usual) else []))


def _cache(given):
    """The folder that `tdc check` keeps its objects in too; None: TDC_CACHE is `none`."""
    if given or os.environ.get("TDC_CACHE"):
        place = given or os.environ["TDC_CACHE"]
        return None if place == "none" else os.path.abspath(place)
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tdc")


def _read(path):
    with open(path, "rb") as f:
        return f.read()


def _digest(*parts):
    h = hashlib.sha256()
    for p in parts:
        p = p if isinstance(p, bytes) else str(p).encode()
        h.update(len(p).to_bytes(8, "little") + p)
    return h


def _key(*parts):
    return _digest(*parts).hexdigest()[:32]


def _kept(cache, key, make):
    """The folder cache/key, made by make(folder) where it is not there; it appears whole or not at all."""
    place = os.path.join(cache, key)
    if os.path.isdir(place):
        try:
            os.utime(place)  # tdc removes what was not used for longest
        except OSError:
            pass
        return place
    os.makedirs(cache, exist_ok=True)
    fresh = tempfile.mkdtemp(prefix="new-", dir=cache)
    try:
        make(fresh)
        try:
            os.rename(fresh, place)
        except OSError:  # another process was faster
            if not os.path.isdir(place):
                raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return place


def _stand_in(cache, home):
    """The stand-in's own object. It becomes a part of each model: a process may have the true CUDA runtime loaded, whose
    functions would otherwise be found first."""
    emu = os.path.join(home, "backend_cuda", "emu")
    cxx, source = _command("CXX", "g++"), os.path.join(emu, "runtime.cpp")
    names = sorted(f for f in os.listdir(emu) if f.endswith((".cpp", ".h", ".def")))
    files = _digest(*(part for f in names for part in (f, _read(os.path.join(emu, f)))))
    # as frontend/check/check_build.c makes it: tdc check and this share it
    variables = [os.environ.get(v, "") for v in READ_BY_COMPILERS]
    key = "stand-in-" + _key(" ".join(cxx), _run([*cxx, "--version"], None), STAND_IN_FLAGS, *variables, files.digest(), _read(source))
    command = [*cxx, *STAND_IN_FLAGS.split(), "-I", emu, "-c", source, "-o", "runtime.o"]
    return emu, _kept(cache, key, lambda d: _run(command, d))


def _compile(folder, stem, target, emu, library):
    if target == "cuda":
        nvcc = _nvcc()
        if not nvcc:
            raise BuildError("nvcc was not found: put it into PATH, or set NVCC")
        code = json.loads(_read(os.path.join(folder, f"{stem}.json")))["gencode"]
        _run([*nvcc, "-O3", "-std=c++17", *code, "-Xcompiler", "-fPIC", "-c", f"{stem}.cu", "-o", "kernels.o"], folder)
        _run([*nvcc, "-O2", "-Xcompiler", "-fPIC", "-c", f"{stem}.c", "-o", "host.o"], folder)
        _run([*nvcc, "-shared", "-Xlinker", "-Bsymbolic", *code, "kernels.o", "host.o", "-o", f"{stem}.so", "-Xlinker", "--as-needed",
              "-lcublasLt"], folder)  # where host.o calls it: a framework's own copy is not found
    else:
        cc, cxx = _command("CC", "gcc"), _command("CXX", "g++")
        _run([*cxx, "-x", "c++", "-std=c++17", "-O1", "-ffp-contract=off", "-w", "-fPIC", "-fno-gnu-unique", "-I", emu, "-c",
              f"{stem}.cu", "-o", "kernels.o"], folder)
        _run([*cc, "-std=c99", "-O1", "-w", "-fPIC", "-I", emu, "-c", f"{stem}.c", "-o", "host.o"], folder)
        _run([*cxx, "-shared", "-Wl,-Bsymbolic", "kernels.o", "host.o", os.path.join(library, "runtime.o"), "-lm", "-pthread", "-o", f"{stem}.so"], folder)
    for name in ("kernels.o", "host.o"):
        os.unlink(os.path.join(folder, name))


def is_text(source):
    """Whether a string is td itself and not the name of a file: every declaration ends with ; or }."""
    return isinstance(source, str) and not source.endswith((".td", ".kernel")) and any(c in source for c in ";}\n")


def _emit(folder, tdc, source, prefix=None, defines=None, includes=(), tuning=None, options=()):
    """Runs tdc in `folder`; the stem of the files that it wrote there."""
    if is_text(source):
        stem, file = "model", "model.td"
        with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
            f.write(source)
    else:
        file = os.path.abspath(os.fspath(source))
        stem = os.path.splitext(os.path.basename(file))[0]
    command = [tdc, file, "-o", f"{stem}.cu", "--emit=cu,c,h,manifest", *options]
    command += [f"--prefix={prefix}"] if prefix else []
    command += [f"-D{n}={v}" for n, v in (defines or {}).items()]
    command += [a for i in includes for a in ("-I", os.path.abspath(i))]
    command += [f"--tuning={os.path.abspath(tuning)}"] if tuning else []
    _run(command, folder, diagnoses=True)
    return stem


def usual_target():
    return "cuda" if os.path.exists("/dev/nvidiactl") and _nvcc() else "stand-in"


def build(source, *, target=None, prefix=None, defines=None, includes=(), tuning=None, options=(), cache=None, tdc=None):
    """The model of a td file: runs tdc, compiles what it writes, and loads the library.

    source   the file, or td itself in a string
    target   "cuda" (nvcc) or "stand-in" (the C++ compiler, for NumPy); where there is a GPU and nvcc, "cuda"
    prefix, defines={"N": 4096}, includes=["folder"], tuning="gpu.tuning", options=["--target=sm_80,sm_90a"]   for tdc
    cache    a folder; $TDC_CACHE, or ~/.cache/tdc; "none" keeps nothing
    tdc      the compiler; $TDC, the one in this package, PATH's, or that of the checkout or prefix it lies in

    What was built from the same emitted files is taken from the cache."""
    tdc, cache, target = compiler(tdc), _cache(cache), target or usual_target()
    if target not in ("cuda", "stand-in"):
        raise ValueError(f"target: expected 'cuda' or 'stand-in', got {target!r}")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as unkept:
        cache = cache or unkept
        stem = _emit(folder, tdc, source, prefix, defines, includes, tuning, options)
        emu, library = _stand_in(cache, _home(tdc)) if target == "stand-in" else (None, None)
        files = [_read(os.path.join(folder, f"{stem}.{e}")) for e in ("cu", "c", "h", "json")]
        compiler_used = (_nvcc() or ["nvcc"]) if target == "cuda" else _command("CXX", "g++")
        version = _run([*compiler_used, "--version"], folder)
        key = f"{stem}-" + _key(target, library, version, *files)

        def make(fresh):
            shutil.copytree(folder, fresh, dirs_exist_ok=True)
            _compile(fresh, stem, target, emu, library)
        place = _kept(cache, key, make)
        return load(os.path.join(place, f"{stem}.so"))
