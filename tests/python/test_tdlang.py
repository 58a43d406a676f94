"""The package tdlang: every kind of argument, what is made for the caller, what is refused, and that nothing is kept.

Tests are functions named test_*, those of a framework test_FRAMEWORK_*; one whose framework is missing is skipped.
`--gpu` runs them on the GPU of this machine, with what needs one, and leaves out those of NumPy; NAMES run those whose
names contain one of them."""
import ctypes, gc, importlib, inspect, json, os, pydoc, re, shutil, sys, tempfile, threading, traceback, weakref
import numpy as np
import tdlang
import test_op

GPU = "--gpu" in sys.argv
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "model.td")
DOCS = os.path.join(HERE, "..", "..", "docs")
RNG = np.random.default_rng(5)


def model():
    if not hasattr(model, "it"):
        model.it = tdlang.build(MODEL)
    return model.it


def refused(text, call, *args, kind=tdlang.Error, status=None, **named):
    try:
        call(*args, **named)
    except kind as e:
        assert text in str(e), f"expected {text!r} in: {e}"
        assert status is None or e.status == status, f"status {e.status}, expected {status}"
        return
    raise AssertionError(f"not refused: {text}")


def f32(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def bf16_bits(x):
    return (np.asarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def of_bits(x):
    return (np.asarray(x).view(np.uint16).astype(np.uint32) << 16).view(np.float32)


# ---- NumPy on the stand-in ----
def test_numpy_in_place():
    x, y = f32(1000), f32(1000)
    want = y + np.float32(0.5) * x
    assert model().axpy(x, y, 0.5) is None
    assert np.allclose(y, want)
    model().axpy(x, y=y)
    assert np.allclose(y, want + 2 * x), "the default of a scalar"


def test_numpy_outputs():
    x = f32(5, 24)
    s, t = model().rows(bf16_bits(x))
    exact = of_bits(bf16_bits(x))
    assert s.dtype == np.float32 and np.allclose(s, exact.sum(1), atol=1e-4)
    assert t.shape == (5, 3) and (of_bits(t) == exact.reshape(5, 3, 8).max(2)).all()
    s2, t2 = np.empty_like(s), np.empty((5, 3), np.uint16)
    for out in ((s2, t2), dict(s=s2, t=t2), dict(t=t2)):
        s2[:], t2[:] = 0, 0
        r = model().rows(x=bf16_bits(x), out=out)
        assert (r[0] == s).all() and r[1] is t2 and (t2.view(np.uint16) == t.view(np.uint16)).all()


def test_numpy_workspace():
    for n in (1, 7, 500, 0, 7):
        x = np.abs(f32(n, 9)) + 1
        assert np.allclose(model().portion(x), x / x.sum(), rtol=1e-4)


def test_numpy_dimension_argument():
    t = model().count(9, step=3)
    assert isinstance(t, np.ndarray) and (t == 3 * np.arange(5)).all()
    assert (model().count(n=0, start=2.5, step=1) == [2.5]).all()
    assert (model().count(1, step=1, out=np.zeros(1, np.float32)) == [0]).all()
    refused("extent 0 is n / 2 + 1: expected 3, got 1", model().count, 4, step=1, out=np.zeros(1, np.float32),
            status="error_shape")


def test_numpy_rank_0_and_empty():
    x = RNG.standard_normal(100)
    d = model().dot(x, x)
    assert d.shape == () and d.dtype == np.float64 and np.allclose(d, (x * x).sum())
    assert model().dot(np.zeros(0), np.zeros(0)) == 0
    assert model().share(np.zeros(0, np.float32)).shape == (0,)
    out = np.array(7.0)
    assert model().dot(x, x, out=out) is out and out == d


def test_numpy_narrow_types():
    x = np.arange(0, 56, dtype=np.uint8)  # f8e4m3: half the subnormals, then up to 1.0
    y = model().narrow(x)
    assert y.dtype.itemsize == 1 and y.view(np.uint8)[0x38 - 0x38] == 0 and y.view(np.uint8)[0x30] == 0x3c  # 0.5 -> 1.0
    p = tdlang.Packed(np.array([0x21, 0x03], np.uint8), "i4", (3,))
    q = model().plus(p, n=5)
    assert q.type == "i4" and q.shape == (3,) and list(q.array) == [0x76, 0x08]
    refused("expected 2 bytes", model().plus, tdlang.Packed(np.zeros(3, np.uint8), "i4", (3,)), n=5, kind=TypeError)
    refused('tensor x: expected tdlang.Packed(..., "i4", shape), got tdlang.Packed(..., "u4", shape)', model().plus, tdlang.Packed(np.zeros(2, np.uint8), "u4", (3,)), n=5)
    refused('tensor x: expected tdlang.Packed(..., "i4", shape), got numpy.int8', model().plus, np.zeros(3, np.int8), n=5, status="error_tensor")


def test_numpy_scalars():
    x = np.array([-3, 0, 5], np.int32)
    assert list(model().above(x, t=-1)) == [False, True, True]
    assert list(model().above(x, -1, flip=True)) == [True, False, False]
    assert model().above(x, 1).dtype == np.bool_
    refused("scalar t: expected an integer", model().above, x, t=0.5, status="error_scalar")
    refused("scalar flip", model().above, x, t=1, flip=2, status="error_scalar")


def test_numpy_views():
    x = f32(4, 100)
    x.flags.writeable = False
    assert np.allclose(model().share(x[2]), x[2] / x[2].sum(), rtol=1e-3), "a read-only row"
    refused("written to, and is read-only", model().axpy, x[0], x[1], kind=TypeError)
    refused("tensor x: dimension 0 is strided: expected stride 1, got 100", model().share, x[:, 3], status="error_tensor")
    refused("dimension 0 is strided: expected stride 1, got -1", model().share, x[0][::-1], status="error_tensor")
    assert model().share(x[:1, 3]).shape == (1,), "one element has any stride"
    odd = np.zeros(9, np.uint8)[1:].view(np.float32)
    refused("tensor x: expected an address aligned to 4", model().share, odd, status="error_alignment")
    refused("is no type of DLPack", model().share, x[0].astype(">f4"), kind=TypeError)
    refused("is no type of DLPack", model().share, np.array(["a"]), kind=TypeError)


def test_numpy_same_memory():
    x = np.ones(8)
    assert model().dot(x, x) == 8 and model().dot(x[:6], x[2:]) == 6, "inputs may overlap"
    y = f32(20)
    refused("tensor y: expected memory of its own", model().axpy, y, y, status="error_overlap")
    want = -y
    if "x" in model().few.tensors[1]["may_alias"]:
        assert model().few(y, out=y) is y and (y == want).all(), "an output in place of an input"
    else:
        refused("overlaps", model().few, y, out=y, status="error_overlap")
    refused("overlaps", model().axpy, y[:10], y[5:15], status="error_overlap")


def test_numpy_refusals():
    m = model()
    refused("few: at most a hundred", m.few, f32(101), status="error_require")
    refused("model_open: cudaDeviceGetAttribute: invalid device ordinal", m._context, 99, status="error_cuda")
    refused("tensor y: extent 0 is N: expected 3, got 4", m.axpy, f32(3), f32(4), status="error_shape")
    refused("tensor x: extent 1 is 8 * K: expected a multiple of 8, got 12", m.rows, np.zeros((2, 12), np.uint16))
    refused("tensor x: expected rank 1, got 2", m.share, f32(3, 3))
    refused("tensor x: expected numpy.float64 (f64), got numpy.float32", m.dot, f32(3), f32(3))
    refused("dimension N: expected 0..=1048576", m.share, np.zeros(1048577, np.float32), status="error_dimension")
    refused("tensor x: expected ml_dtypes.bfloat16 or numpy.uint16 with its bits (bf16), got numpy.float32", m.rows, f32(2, 8))
    refused("tensor 'y' is missing", m.axpy, f32(3), kind=TypeError)
    refused("'n' is missing", m.plus, tdlang.Packed(np.zeros(1, np.uint8), "i4", (1,)), kind=TypeError)
    refused("has no argument 'z'", m.axpy, f32(3), f32(3), z=1, kind=TypeError)
    refused("given twice", m.axpy, f32(3), x=f32(3), kind=TypeError)
    refused("at most 3 positional", m.axpy, 1, 2, 3, 4, kind=TypeError)
    refused("list does not speak DLPack", m.share, [1.0], kind=TypeError)
    refused("out= expects y", m.share, f32(3), out=dict(z=f32(3)), kind=TypeError)
    refused("out= expects s, t", m.rows, np.zeros((1, 8), np.uint16), out=f32(1), kind=TypeError)
    refused("no entry 'shares'; it has axpy", lambda: m.shares, kind=AttributeError)
    y = f32(4)
    kept = y.copy()
    refused("", m.axpy, f32(3), y)
    assert (y == kept).all(), "nothing is written where a call is refused"
    assert np.allclose(m.share(np.ones(4, np.float32)), .25), "and the model goes on"


def test_numpy_dimension_given():
    x = f32(6)
    assert (model().share(x, N=6) == model().share(x)).all()
    refused("tensor x: extent 0 is N: expected 5, got 6", model().share, x, N=5, status="error_shape")


def test_numpy_host_function():
    assert model().rate(n=100, step=25) == 0.25 and model().rate(100, 25, 0.5) == 0.125
    assert model().rate.kind == "host"
    refused("'step' is missing", model().rate, n=100, kind=TypeError)


def test_numpy_host_function_by_name():
    """Through model_invoke itself: its value goes where its tensor of rank 0 lies."""
    from tdlang import _arrays, _model
    m, out = model(), np.zeros((), np.float32)
    view = _arrays.lend(out, "f32", None, None)
    message = ctypes.create_string_buffer(200)
    run = _model._Run(message=ctypes.addressof(message), message_bytes=200)
    tensors = (ctypes.c_void_p * 1)(ctypes.addressof(view.t))

    def invoke(step):
        dims, scalars = (ctypes.c_int64 * 1)(100), (ctypes.c_double * 2)(step, 2.0)
        with m._stand_in.lend([(out.ctypes.data, 4, False)]):
            return m._invoke_c(m._context(0), ctypes.addressof(run), b"rate", tensors, 1, dims, 1, scalars, 2)
    assert invoke(25) == 0 and out == .5
    assert m.manifest["statuses"][invoke(2.5)] == "error_scalar" and b"rate: scalar step: expected" in message.value
    view.t.data = None
    assert m.manifest["statuses"][invoke(25)] == "error_null" and out == .5


def test_numpy_threads():
    inputs, wrong = [np.abs(f32(40 - k, 10)) + 1 for k in range(8)], []

    def work(k):
        x = inputs[k]
        for i in range(5):
            if not np.allclose(model().portion(x), x / x.sum(), rtol=1e-4):
                wrong.append((k, i))
    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong, wrong


def test_numpy_describes_itself():
    m = model()
    assert "axpy" in dir(m) and "axpy" in repr(m) and m["axpy"] is m.axpy
    assert m.axpy.signature == "axpy(x: f32[N], inout y: f32[N], a: f32 = 2.0)"
    page = pydoc.plain(pydoc.render_doc(m.axpy))  # what help(m.axpy) prints
    for line in ("axpy(x, y, a=2.0, *, out=None, stream=None, like=None)", "y = a x + y, in place.", "Inputs:", "    x: f32[N]",
                 "Changed in place:", "    y: f32[N]", "Dimensions:", "    N: 0 to 1048576", "Scalars:", "    a: f32 = 2.0"):
        assert line in page, f"{line!r} is missing in {page}"
    assert m.rows.__doc__ == ("rows(x, *, out=None, stream=None, like=None) -> s, t\n\nInputs:\n    x: bf16[M, 8 * K]\n\n"
                              "Outputs:\n    s: f32[M]\n    t: bf16[M, K]")
    assert m.count.__doc__ == ("count(n, start=0.0, *, step, out=None, stream=None, like=None) -> t\n\nOutputs:\n"
                               "    t: f32[n / 2 + 1]\n\nDimensions:\n    n: int\n\nScalars:\n    start: f32 = 0.0\n    step: i32")
    assert m.few.__doc__.endswith('Required:\n    L <= 100 ("at most a hundred")')
    assert m.rate.__doc__.startswith("rate(n, step, peak=1.0) -> f32\n\nDimensions:\n    n: int")
    assert list(inspect.signature(m.count).parameters) == ["n", "start", "step", "out", "stream", "like"]


def test_numpy_build_and_load():
    m = model()
    assert tdlang.build(MODEL).path == m.path, "the same files come from the cache"
    fixed = tdlang.build(os.path.join(HERE, "..", "manifest", "shapes.td"), prefix="other", defines={"L": 9})
    assert fixed.windows(f32(9)).shape == (3,) and fixed.windows.dimensions == []
    with tempfile.TemporaryDirectory() as folder:
        tuning = os.path.join(folder, "t.tuning")
        for text, wrong in (("tdc tuning 1\n", None), ("tdc tuning\n", "E1100")):
            with open(tuning, "w") as f:
                f.write(text)
            if wrong:
                refused(wrong, tdlang.build, MODEL, tuning=tuning, kind=tdlang.BuildError)
            else:
                assert tdlang.build(MODEL, tuning=tuning).entries
    refused("E0", tdlang.build, os.path.join(HERE, "..", "errors", "names.td"),
            kind=tdlang.BuildError)
    with tempfile.TemporaryDirectory() as folder:
        library = shutil.copy(m.path, folder)
        manifest = dict(m.manifest, format=2)
        where = os.path.join(folder, "model.json")

        def write(**changes):
            with open(where, "w") as f:
                json.dump(dict(m.manifest, **changes), f)
        write(format=2)
        refused("expected format 1 of the manifest, got 2", tdlang.load, library)
        write(fingerprint="0" * 16)
        refused("are not of one compilation", tdlang.load, library)
        write()
        again = tdlang.load(library, where)
        assert again.dot(np.ones(3), np.ones(3)) == 3
        again.close()
        assert again.dot(np.ones(3), np.ones(3)) == 3, "a closed model opens again"


class Lent:
    """Speaks DLPack through NumPy's capsules, and no more; counts them."""

    def __init__(self, x, versioned):
        self.x, self.versioned, self.asked = x, versioned, 0

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, *, stream=None, **named):
        self.asked += 1
        if named and not self.versioned:
            raise TypeError("max_version")
        return self.x.__dlpack__(stream=stream, **named)


def test_numpy_td_in_a_string():
    text = "export fn twice(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }"
    m = tdlang.build(text)
    assert (m.twice(np.ones(5, np.float32)) == 2).all() and tdlang.build(text).path == m.path
    assert tdlang.build("import \"nn\";\nexport p = softmax(T = f32, B = [M]);").p(np.ones((2, 4), np.float32))[1, 3] == .25
    refused("model.td:1:56: error[E0300]", tdlang.build, text.replace("x[i]", "z[i]"), kind=tdlang.BuildError)
    refused("no such.td", tdlang.build, "no such.td", kind=tdlang.BuildError)


def test_numpy_capsules():
    for versioned in (False, True):
        base = f32(10)
        x, out = Lent(base, versioned), np.zeros(10, np.float32)
        alive = weakref.ref(base)
        assert np.allclose(model().share(x, out=out), base / base.sum(), rtol=1e-3) and x.asked
        refused("give out=", model().share, x, kind=TypeError)
        del base, x
        gc.collect()
        assert alive() is None, "the capsules gave back what they held"
    x = f32(10)
    before = sys.getrefcount(x)
    for _ in range(50):
        model().share(Lent(x, True), out=np.zeros(10, np.float32))
    assert sys.getrefcount(x) <= before + 1


# ---- JAX ----
def test_jax():
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    x = jnp.arange(1, 11, dtype=jnp.float32)
    y = model().share(x)
    assert isinstance(y, jax.Array) and np.allclose(y, np.arange(1, 11) / 55)
    s, t = model().rows(jnp.ones((3, 16), jnp.bfloat16))
    assert t.dtype == jnp.bfloat16 and (np.asarray(s) == 16).all() and t.shape == (3, 2)
    z = jnp.zeros(10, jnp.float32)
    assert np.allclose(jax.jit(lambda v: v * 2)(y), np.arange(1, 11) / 27.5) and (np.asarray(z) == 0).all()
    assert float(model().dot(jnp.ones(5, jnp.float64), jnp.ones(5, jnp.float64))) == 5
    assert model().count(9, step=3, like=jax).shape == (5,)
    before = np.asarray(z).copy()
    refused("tensor 'y' is written to, and is read-only", model().axpy, x, z, kind=TypeError)
    refused("tensor 'y' is written to, and is read-only", model().share, x, out=z, kind=TypeError)
    assert (np.asarray(z) == before).all() and (np.asarray(x) == np.arange(1, 11)).all()
    refused("tensor x: expected jax.numpy.float32 (f32), got jax.numpy.float64", model().share, jnp.ones(3, jnp.float64), status="error_tensor")
    refused("tensor x: expected rank 1, got 2", model().share, jnp.ones((3, 3), jnp.float32), status="error_tensor")
    if GPU:
        assert next(iter(y.devices())).platform == "gpu"
        cpu = jax.device_put(x, jax.devices("cpu")[0])
        refused("expected a tensor on a GPU, got one on the CPU", model().share, cpu, status="error_device")


# ---- CuPy ----
def test_cupy_gpu():
    import cupy
    m = model()
    x, y = cupy.arange(1000, dtype=cupy.float32), cupy.ones(1000, cupy.float32)
    m.axpy(x, y, a=0.5)
    assert (y == 1 + x / 2).all()
    side = cupy.cuda.Stream(non_blocking=True)
    with side:
        a = cupy.random.rand(2000, 1000).astype(cupy.float32) + 1
        b = m.portion(a)  # on the stream that makes a, without a wait between them
        c = b.sum()
    side.synchronize()
    assert isinstance(b, cupy.ndarray) and abs(float(c) - 1) < 1e-3
    out = cupy.empty_like(a)
    assert m.portion(a, out=out) is out and (out == b).all()
    s, t = m.rows(cupy.full((3, 16), 0x3f80, cupy.uint16))
    assert (s == 16).all() and t.dtype == cupy.uint16 and (t == 0x3f80).all()
    refused("tensor x: dimension 0 is strided: expected stride 1, got 1000", m.share, a[:, 3], status="error_tensor")
    refused("tensor x: expected cupy.float32 (f32), got cupy.float64", m.share, cupy.ones(3), status="error_tensor")
    refused("tensor y: expected memory of its own", m.axpy, x, x, status="error_overlap")


# ---- PyTorch ----
def device():
    return "cuda" if GPU else "cpu"


def test_torch_types():
    import torch
    m = model()
    x, y = torch.randn(1000, device=device()), torch.randn(1000, device=device())
    want = y + 0.5 * x
    m.axpy(x, y, a=0.5)
    torch.testing.assert_close(y, want)
    b = torch.randn(5, 24, device=device()).bfloat16()
    s, t = m.rows(b)
    assert t.dtype == torch.bfloat16 and t.device == b.device
    torch.testing.assert_close(s, b.float().sum(1))
    assert torch.equal(t, b.view(5, 3, 8).amax(2))
    assert m.above(torch.tensor([1, 5], dtype=torch.int32, device=device()), t=3).tolist() == [False, True]
    f = torch.tensor([0.5, -2.0, 300.0], device=device()).to(torch.float8_e4m3fn)
    assert torch.equal(m.narrow(f).float(), (2 * f.float()).to(torch.float8_e5m2).float())
    d = m.dot(torch.ones(7, dtype=torch.float64, device=device()), torch.ones(7, dtype=torch.float64, device=device()))
    assert d.shape == () and d.item() == 7
    assert m.share(torch.zeros(0, device=device())).shape == (0,)
    assert m.count(9, step=3, like=torch).tolist() == [0, 3, 6, 9, 12]
    p = tdlang.Packed(torch.tensor([0x21, 0x03], dtype=torch.uint8, device=device()), "i4", (3,))
    assert m.plus(p, n=5).array.tolist() == [0x76, 0x08]


def test_torch_refusals():
    import torch
    m, x = model(), torch.randn(4, 100, device=device())
    refused("tensor x: dimension 0 is strided: expected stride 1, got 100", m.share, x[:, 3], status="error_tensor")
    refused("tensor x: expected torch.float32 (f32), got torch.float64", m.share, x.double()[0], status="error_tensor")
    refused("requires grad", m.share, x[0].clone().requires_grad_(), kind=TypeError)
    refused("a view that negates", m.share, torch.complex(x[0], x[1]).conj().imag, kind=TypeError)
    with torch.no_grad():
        m.share(x[0].clone().requires_grad_())
    if GPU:
        refused("expected a tensor on a GPU, got one on the CPU", m.axpy, x[0], torch.zeros(100), status="error_device")
        refused("expected a tensor on a GPU, got one on the CPU", m.share, np.ones(3, np.float32), status="error_device")
    assert not torch.isnan(m.share(x[0])).any()


def test_torch_page():
    """docs/pytorch.md, run as it stands."""
    with open(os.path.join(DOCS, "pytorch.md"), encoding="utf-8") as f:
        code = "".join(re.findall(r"^```python\n(.*?)^```$", f.read(), re.M | re.S))
    assert "tdlang.op" in code and "gradient=" in code and "opcheck" in code and "torch.compile" in code
    exec(compile(code, "docs/pytorch.md", "exec"), {"__name__": "page"})


def test_torch_gpu_streams_and_graphs():
    import torch
    m, x = model(), torch.rand(300, 1000, device="cuda") + 1
    want = x.double() / x.double().sum()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    y = m.portion(x, stream=side)
    torch.cuda.current_stream().wait_stream(side)
    torch.testing.assert_close(y.double(), want, rtol=1e-4, atol=0)
    with torch.cuda.stream(side):
        y = m.portion(x)
    side.synchronize()
    torch.testing.assert_close(y.double(), want, rtol=1e-4, atol=0)
    graph, out = torch.cuda.CUDAGraph(), torch.empty_like(x)
    with torch.cuda.graph(graph):
        m.portion(x, out=out)
        z = m.portion(out)
    for k in range(3):
        x.uniform_(1, 2)
        out.zero_()
        graph.replay()
        torch.testing.assert_close(out.double(), x.double() / x.double().sum(), rtol=1e-4, atol=0)
        torch.testing.assert_close(z.double(), out.double() / out.double().sum(), rtol=1e-4, atol=0)


def test_torch_gpu_threads():
    import torch
    m, wrong = model(), []
    inputs = [torch.rand(200 + k, 1000, device="cuda") + 1 for k in range(8)]
    alone = [m.portion(x) for x in inputs]
    torch.cuda.synchronize()

    def work(k, own):
        stream = torch.cuda.Stream() if own else torch.cuda.default_stream()
        with torch.cuda.stream(stream):
            for i in range(50):
                y = m.portion(inputs[k])
                if not torch.equal(y, alone[k]):
                    wrong.append((k, i, own))
    for own in (False, True):  # all on one stream, then each on its own
        threads = [threading.Thread(target=work, args=(k, own)) for k in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    assert not wrong, wrong[:5]


def test_torch_product():
    """The library that the model calls comes with it: PyTorch's own copy is no part of what a model is linked with."""
    import torch
    x, w = torch.randn(48, 64, device=device()).bfloat16(), torch.randn(64, 32, device=device()).bfloat16()
    torch.testing.assert_close(model().product(x, w), x.float() @ w.float(), rtol=1e-3, atol=1e-3)


def test_torch_two_models():
    import torch
    m = model()
    other = tdlang.build(os.path.join(HERE, "..", "manifest", "shapes.td"), prefix="other", defines={"L": 9})
    x = torch.rand(9, device=device()) + 1
    a, b = m.share(x), other.windows(x)
    for _ in range(3):
        assert torch.equal(m.share(x), a) and torch.equal(other.windows(x), b)
    torch.testing.assert_close(a, x / x.sum(), rtol=1e-3, atol=0)


def test_torch_gpu_devices():
    import torch
    if torch.cuda.device_count() < 2:
        return
    m, x = model(), torch.rand(300, 1000, device="cuda:0") + 1
    y = m.portion(x)
    with torch.cuda.device(1):
        there = m.portion(x.to("cuda:1"))
        assert there.device.index == 1 and torch.equal(there.cpu(), y.cpu()), "two devices give the same bytes"
        refused("tensor y: expected the context's device, 1, got 0", m.axpy, torch.ones(3, device="cuda:1"), torch.ones(3, device="cuda:0"),
                status="error_device")
    assert torch.cuda.current_device() == 0 and torch.equal(m.portion(x), y)
    refused("tensor y: expected the context's device, 0, got 1", m.axpy, torch.ones(3, device="cuda:0"), torch.ones(3, device="cuda:1"),
            status="error_device")


def main():
    passed = failed = 0
    skipped = {}
    only = [a for a in sys.argv[1:] if not a.startswith("--")]
    for name, test in [*globals().items(), *vars(test_op).items()]:
        if not (name.startswith("test_") and callable(test)) or (only and not any(o in name for o in only)):
            continue
        framework = name.split("_")[1]
        if (GPU and framework == "numpy") or (not GPU and "_gpu" in name):
            continue
        try:
            importlib.import_module(framework)
        except ImportError:
            skipped[framework] = skipped.get(framework, 0) + 1
            continue
        try:
            test()
            passed += 1
        except Exception:
            failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()}")
    for framework, n in skipped.items():
        print(f"skipped {n} tests: there is no {framework} here")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or (passed == 0 and not skipped)


sys.exit(main())
