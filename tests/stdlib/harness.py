"""The standard library against NumPy, in float64: every fn and reduce of stdlib/*.td must have a case in ref_MODULE.py,
but those whose names begin with _, which serve others.

A case names the function, says how it is exported, and gives its reference. The entry is run in tdc's reference
interpreter (`tdc run --interp`) on the inputs below, of its sizes the first and every fourth of the others; with bf16 for
f64 every 24th is also compiled the whole way; with TDC_EVERY=1 all are. Where PyTorch can be imported, a case's
`torch` expression must agree with its reference too.
"""
import glob, importlib, inspect, itertools, os, re, subprocess, sys, tempfile, zlib
import numpy as np

# ---- inputs and tolerances, all of them ----
# Floats are standard normal, with both signs; integers uniform in [-9, 9], bools fair. A case may say otherwise (draw=).
# Scalar functions get 301 such floats times 3, and these points:
POINTS = [s * v for v in (0, 1e-300, 1e-8, .25, .5, 1, 2, 2.5, 3, 6, 19, 21, 40, 88, 100, 700) for s in (1, -1)]
# Sizes of a case that gives none, for the dimensions in order: odd and unequal, all 1, each in turn 0.
ODD = (3, 5, 7, 4, 6, 2, 9)
# |out - reference| <= TOLERANCE[type of the output] * (|reference| + min(1, rms(reference))); integers, bools,
# infinities and NaN are equal.
TOLERANCE = dict(f64=1e-12, f32=1e-6, f16=1e-3, bf16=8e-3)

DTYPE = dict(f64=np.float64, f32=np.float32, f16=np.float16, bf16=np.float32, i64=np.int64, i32=np.int32, i16=np.int16,
             i8=np.int8, u32=np.uint32, u16=np.uint16, u8=np.uint8, bool=np.bool_, i4=np.int8, u4=np.uint8)
CASES = []


def normal(scale=1.0, shift=0.0):
    return lambda rng, shape, dims: shift + scale * rng.standard_normal(shape)


def uniform(lo, hi):
    return lambda rng, shape, dims: rng.uniform(lo, hi, shape)


def ints(lo, hi):
    """Integers in lo..hi, hi excluded; either may be an expression of dimensions."""
    def draw(rng, shape, dims):
        a, b = (eval(str(e), {}, dims) for e in (lo, hi))
        return rng.integers(a, b, shape) if b > a else np.full(shape, a)
    return draw


def given(values):
    return lambda rng, shape, dims: np.broadcast_to(values(**dims) if callable(values) else values, shape)


class Case:
    """`name`: the function. `export`: its instance, "softmax(T = f64, B = [M])", or td text that exports an entry
    `it`. `ref` takes inputs, dimensions and scalars by name and returns the outputs and new values of inouts, in the
    order of the header. `sizes`: a list of dicts of dimensions. `draw`: a generator for each input that needs another
    than the default. `torch`: an expression over F, torch, autograd(f, x, dy) and the same names."""

    def __init__(self, name, export, ref, sizes=None, draw={}, scalars={}, torch=None):
        self.name, self.ref, self.sizes, self.draw, self.scalars, self.torch = name, ref, sizes, draw, scalars, torch
        self.asked = False  # PyTorch, with an answer
        self.td = export if "export" in export else f"export it = {export};"


def case(*args, **kw):
    CASES.append(Case(*args, **kw))


def scalar(name, ref, draw=None, points=POINTS, torch=None, args="x", **params):
    """A function of scalars, on each element: `args` are its arguments, `params` constants given by name."""
    names = [a.strip() for a in args.split(",")]
    head = ", ".join(f"{a}: f64[N]" for a in names)
    call = ", ".join([f"{a}[n]" for a in names] + [f"{k} = {v}" for k, v in params.items()])

    def values(rng, shape, dims):
        v = (draw or normal(3.0))(rng, shape, dims)
        v[:len(points)] = rng.permutation(points)[:len(v)]
        return v
    case(name, f"export fn it({head}) -> (out: f64[N]) {{ out[n] = {name}({call}); }}",
         lambda **v: ref(*[v[a] for a in names], **params), torch=torch,
         sizes=[dict(N=301 + len(points)), dict(N=0)], draw={a: values for a in names})


# ---- running ----
def tdc(*args):
    r = subprocess.run([os.environ["TDC"], *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return r.returncode, r.stdout


def interface(graph):
    """Of a printed Graph: dimensions, scalars with defaults, and parameters (kind, name, type, shape)."""
    dims = re.findall(r"^  dim (\w+)", graph, re.M)
    scalars = {n: (t, d) for n, t, d in re.findall(r"^  scalar (\w+): (\w+)(?: = (\S+))?", graph, re.M)}
    tensors = re.findall(r"^  (in|inout|out) (\w+): (\w+)\[(.*)\]", graph, re.M)
    order = re.search(r"^  params (.*)$", graph, re.M)  # where it is not that of the declarations
    if order:
        tensors.sort(key=lambda t: order.group(1).split(", ").index(t[1]))
    return dims, scalars, tensors


def extents(shape, dims):
    return eval(f"({shape.replace('/', '//')},)", {}, dims) if shape else ()


def all_sizes(dims):
    odd = dict(zip(dims, itertools.cycle(ODD)))
    return [odd, {d: 1 for d in dims}] + [{**odd, d: 0} for d in dims]


def differs(out, ref, kind):
    """What is wrong with an output, or None."""
    ref = np.asarray(ref)
    if out.shape != ref.shape:
        return f"has shape {out.shape}, expected {ref.shape}"
    if out.dtype == np.uint16 and kind == "bf16":
        out = (out.astype(np.uint32) << 16).view(np.float32)
    if kind not in TOLERANCE:
        bad = out != ref
    else:
        finite = np.isfinite(ref)
        with np.errstate(invalid="ignore", over="ignore"):
            rms = np.sqrt(np.mean(ref[finite].astype(float) ** 2)) if finite.any() else 0.0
            near = np.abs(out - ref) <= TOLERANCE[kind] * (np.abs(ref) + min(1, rms))
        bad = ~np.where(finite, near, (out == ref) | (np.isnan(out) & np.isnan(ref)))
    if not bad.any():
        return None
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"at {list(at)} is {out[at]!r}, expected {ref[at]!r} ({bad.sum()} of {bad.size} differ)"


def tuple_of(v):
    return v if isinstance(v, tuple) else (v,)


def run_size(c, entry, sizes, graph, folder):
    dims, scalars, tensors = graph
    missing = [d for d in dims if d not in sizes]
    if missing:
        return f"no size for {missing}"
    rng = np.random.default_rng(zlib.crc32(repr((c.name, sizes)).encode()))
    args = ["run", entry, "it", "--interp"]
    values, outs = dict(sizes), []
    for n, (t, default) in scalars.items():
        v = c.scalars.get(n, default)
        args += ["-D", f"{n}={v}"]
        values[n] = DTYPE[t](float(v)).item()
    args += [a for d in dims for a in ("-D", f"{d}={sizes[d]}")]
    for kind, n, t, shape in tensors:
        shape = extents(shape, sizes)
        if kind != "in":
            outs.append((n, t))
            args += ["--out", f"{n}={folder}/{n}.out.npy"]
        if kind == "out":
            continue
        draw = c.draw.get(n) or (normal() if t in TOLERANCE else ints(0, 2) if t == "bool" else ints(-9, 10))
        values[n] = np.array(draw(rng, shape, sizes)).astype(DTYPE[t])
        if t == "bf16":
            bits = values[n].view(np.uint32) & np.uint32(0xffff0000)
            values[n] = bits.view(np.float32)
            np.save(f"{folder}/{n}.npy", (bits >> np.uint32(16)).astype(np.uint16))
        else:
            np.save(f"{folder}/{n}.npy", values[n])
        args += ["--in", f"{n}={folder}/{n}.npy"]
    status, said = tdc(*args)
    if status:
        return said
    with np.errstate(all="ignore"):
        wide = {n: v.astype(np.float64) if isinstance(v, np.ndarray) and v.dtype.kind == "f" else v
                for n, v in values.items()}
        takes = inspect.signature(c.ref).parameters
        free = any(p.kind == p.VAR_KEYWORD for p in takes.values())
        try:
            refs = tuple_of(c.ref(**{n: v for n, v in wide.items() if free or n in takes}))
        except Exception as e:
            return f"the reference fails: {e}"
    if len(refs) != len(outs):
        return f"the reference gives {len(refs)} results for {[n for n, _ in outs]}"
    for (n, t), ref in zip(outs, refs):
        wrong = differs(np.load(f"{folder}/{n}.out.npy"), ref, t)
        if wrong:
            return f"{n} {wrong}"
    return check_torch(c, wide, refs, outs)


def autograd(f, x, dy):
    x = x.clone().requires_grad_()
    return TORCH.autograd.grad(f(x), x, dy)[0]


# What PyTorch itself does not take: where it says so there is nothing to compare with.
REFUSED_BY_TORCH = ("smaller than kernel size", "Expected more than 1 value per channel", "other non-zero dimensions",
                    "cannot reshape tensor of 0 elements", "index 0 out of range for tensor of size [0]")


def check_torch(c, values, refs, outs):
    if not c.torch or not TORCH:
        return None
    tensors = {n: TORCH.from_numpy(np.array(v)) if isinstance(v, np.ndarray) else v for n, v in values.items()}
    names = {"torch": TORCH, "F": TORCH.nn.functional, "np": np, "autograd": autograd}
    try:
        got = tuple_of(eval(c.torch, {**names, **tensors}))
    except Exception as e:
        if any(text in str(e) for text in REFUSED_BY_TORCH):
            return None
        return f"torch: {type(e).__name__}: {str(e).splitlines()[0]}"
    c.asked = True
    for (n, t), ref, v in zip(outs, refs, got):
        if not np.size(ref) and not v.numel():
            continue
        wrong = differs(np.asarray(ref, dtype=v.numpy().dtype), v.numpy(), "f32" if t in TOLERANCE else t)
        if wrong:
            return f"torch: {n} {wrong}"
    return None


def chosen(n, *what):
    """Whether it is one of every n, with TDC_EVERY=1 always."""
    return os.environ.get("TDC_EVERY") == "1" or zlib.crc32(repr(what).encode()) % n == 0


def run_case(c, module, folder):
    entry = f"{folder}/model.td"
    half = c.td.replace("f64", "bf16")
    for text in (half, c.td):
        with open(entry, "w") as f:
            f.write(f'import "{module}";\n{text}\n')
        status, said = tdc(entry, "--dump=sema", *(["-o", f"{folder}/model.cu"] if text is half and chosen(24, c.td) else []))
        if status:
            return [f"does not compile: {text}\n{said}"]
    graph = interface(said)
    sizes = c.sizes or all_sizes(graph[0])
    wrong = [(s, run_size(c, entry, s, graph, folder)) for i, s in enumerate(sizes) if i == 0 or chosen(4, c.name, s)]
    if c.torch and TORCH and not c.asked:
        wrong.append((sizes, "PyTorch takes none of these sizes"))
    return [f"{s}: {w}" for s, w in wrong if w]


def exported(module):
    status, said = tdc(f"stdlib/{module}.td", "--dump=parse")
    if status:
        print(said)
    return re.findall(r"^(?:fn|reduce) ([^_\W]\w*)", said, re.M)


def main(args):
    verbose = "-v" in args
    modules = [a for a in args if a != "-v"] or sorted(
        os.path.basename(f)[:-3] for f in glob.glob("stdlib/*.td"))
    passed = failed = 0
    for module in modules:
        del CASES[:]
        if os.path.exists(f"tests/stdlib/ref_{module}.py"):
            importlib.import_module(f"ref_{module}")
        names, covered = exported(module), {c.name for c in CASES}
        wrong = [(n, ["no case in ref_%s.py" % module]) for n in names if n not in covered]
        wrong += [(n, [f"stdlib/{module}.td has no such function"]) for n in sorted(covered - set(names))]
        wrong += [] if names else [(module, ["the module has no functions"])]
        with tempfile.TemporaryDirectory() as folder:
            for c in CASES:
                if c.name not in names:
                    continue
                w = run_case(c, module, folder)
                wrong += [(c.name, w)] if w else []
                passed += not w
                if verbose:
                    print("FAILED " if w else "ok     ", module, c.name)
        failed += len(wrong)
        for n, w in wrong:
            print(f"FAILED {module} {n}")
            for line in w:
                print("   ", line.rstrip().replace("\n", "\n    "))
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.modules["harness"] = sys.modules["__main__"]
    try:
        import torch as TORCH
    except ImportError:
        TORCH = None
    sys.exit(main(sys.argv[1:]))
