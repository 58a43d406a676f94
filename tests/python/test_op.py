"""tdlang.op: td programs as operators of PyTorch, under torch.compile, torch.export, opcheck and autograd. Run by
test_tdlang.py, on the CPU stand-in or with --gpu on the GPU."""
import copy, os, pickle, pydoc, sys, tempfile
import tdlang
try:
    import torch
except ImportError:
    torch = None

DEVICE = "cuda" if "--gpu" in sys.argv else "cpu"
TD = """
/// h = x + r, and the sum of each row of it.
export fn sums(x: f32[M, N], r: f32[M, N]) -> (h: f32[M, N], s: f32[M]) {
    h[m, n] = x[m, n] + r[m, n];
    s[m] = sum[n](h[m, n]);
}
export fn axpy(x: f32[N], inout y: f32[N], a: f32 = 2.0) { y[i] += a * x[i]; }
export fn eighths(x: f32[M, 8 * K + 1], w: f32[K]) -> (t: f32[M, K]) { t[i, k] = w[k] * max[j in 0..8](x[i, 8 * k + j]); }
export fn count(n: int, start: f32 = 0.5, step: i32, back: bool = false) -> (t: f32[n / 2 + 1], u: i64[n]) {
    t[i] = start + f32(if back then -i * step else i * step);
    u[i] = i;
}
export fn front(x: bf16[N], n: int, least: f32 = -inf) -> (y: bf16[n]) {
    require n <= N, "n is at most the length of x";
    y[i] = max(f32(x[i]), least);
}
export fn widen(q: i4[M, N], lambda: f32) -> (y: f32[M, N], p: u4[N, M]) {
    y[m, n] = lambda * f32(i32(q[m, n]));
    p[n, m] = u4(clamp(i32(q[m, n]), 0, 7));
}
export fn grid(z: f32[M * N], x: f32[M]) -> (y: f32[M]) { y[m] = f32(N); }
export fn swish(x: f32[N], w: f32[N], b: f32 = 1.0) -> (y: f32[N], total: f32[]) {
    y[i] = w[i] * x[i] * sigmoid(b * x[i]);
    total[] = sum[i](y[i]);
}
export fn swish_backward(x: f32[N], w: f32[N], dy: f32[N], dtotal: f32[], b: f32) -> (dx: f32[N], dw: f32[N]) {
    let s[i] = sigmoid(b * x[i]);
    let d[i] = dy[i] + dtotal[];
    dx[i] = d[i] * w[i] * s[i] * (1 + b * x[i] * (1 - s[i]));
    dw[i] = d[i] * x[i] * s[i];
}
export fn half_of_it(x: f32[N], dy: f32[N], b: f32) -> (dx: f32[N]) { dx[i] = b * x[i] * dy[i]; }
export fn stray(x: f32[N], z: f32[N]) -> (dx: f32[N]) { dx[i] = x[i] * z[i]; }
"""


def op(entry, **options):
    return tdlang.op(TD, entry, **options)


def rand(*shape):
    return torch.randn(*shape, device=DEVICE)


def refused(text, call, *args, kind=Exception, **named):
    try:
        call(*args, **named)
    except kind as e:
        assert text in str(e), f"expected {text!r} in: {e}"
        return
    raise AssertionError(f"not refused: {text}")


def test_torch_op_of_a_string():
    double = tdlang.op("export fn double(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }")
    x = rand(10)
    assert torch.equal(double(x), 2 * x) and torch.equal(double(x=x), 2 * x)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "triple.td")
        with open(path, "w") as f:
            f.write("export fn triple(x: f32[N]) -> (y: f32[N]) { y[i] = 3 * x[i]; }")
        assert torch.equal(tdlang.op(path)(x), 3 * x)
    again = tdlang.op("export fn double(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }")
    other = tdlang.op("export fn double(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] + x[i] + 1; }")
    assert again is double and other.name != double.name and torch.equal(other(x), 2 * x + 1) and torch.equal(
        double(x), 2 * x)
    assert copy.deepcopy(double) is double and pickle.loads(pickle.dumps(double)) is double
    refused("several entries: entry= is one of sums, axpy", tdlang.op, TD)
    refused("has no entry 'none'", op, "none")
    refused("expected 'namespace::name'", op, "sums", name="sums")
    refused("model.td:1:9: error[E0200]", tdlang.op, "export f;", kind=tdlang.BuildError)


def test_torch_op_schema():
    wanted = {
        "sums": "(Tensor x, Tensor r) -> (Tensor, Tensor)", "axpy": "(Tensor x, Tensor(a1!) y, float? a=None) -> ()",
        "count": "(SymInt n, float? start=None, *, SymInt step, bool? back=None, Device? device=None) -> (Tensor, Tensor)",
        "front": "(Tensor x, SymInt n, float? least=None) -> Tensor",
        "widen": "(Tensor q, float lambda_) -> (Tensor, Tensor)"
    }
    for name, schema in wanted.items():
        assert op(name).schema == schema, op(name).schema
    page = pydoc.plain(pydoc.render_doc(op("sums")))
    for line in ("sums(x, r) -> h, s", "h = x + r, and the sum of each row of it.", "    x: f32[M, N]",
                 "    s: f32[M]"):
        assert line in page, page


def test_torch_op_calls():
    x, r = rand(5, 7), rand(5, 7)
    h, s = op("sums")(x, r)
    torch.testing.assert_close(h, x + r)
    torch.testing.assert_close(s, (x + r).sum(1))
    y = rand(9)
    version, want = y._version, y + 2 * x.view(-1)[:9]
    assert op("axpy")(x.view(-1)[:9], y) is None and y._version > version
    torch.testing.assert_close(y, want)
    torch.testing.assert_close(
        op("eighths")(rand(3, 17).fill_(2), rand(2).fill_(3)), torch.full((3, 2), 6.0, device=DEVICE))
    t, u = op("count")(4, step=3, device=DEVICE)
    assert t.tolist() == [.5, 3.5, 6.5] and u.tolist() == [0, 1, 2, 3
                                                           ] and u.device.type == DEVICE and u.dtype == torch.int64
    assert op("count")(2, 1.0, step=3, back=True)[0].tolist() == [1.0, -2.0]
    assert op("front")(x.bfloat16().view(-1), 3).tolist() == x.bfloat16().view(-1)[:3].tolist(), "the default is -inf"
    assert op("grid")(rand(0), rand(4)).shape == (4,) and op("grid")(rand(6), rand(2)).tolist() == [3, 3]
    refused("grid: tensor z: extent 0 is M * N: expected 4, got 7", torch.compile(op("grid"), fullgraph=True), rand(7),
            rand(4))
    refused("n is at most the length of x", op("front"), x.bfloat16().view(-1), 99)
    refused("expected torch.float32 (f32), got torch.float64", op("sums"), x.double(), r.double())


def test_torch_op_strides():
    x, r = rand(7, 5), rand(5, 7)
    torch.testing.assert_close(op("sums")(x.t(), r)[0], x.t() + r)
    y = rand(20)
    want, rest = y[::2] + 2 * r.view(-1)[:10], y[1::2].clone()
    op("axpy")(r.view(-1)[:10], y[::2])
    torch.testing.assert_close(y[::2], want)
    assert torch.equal(y[1::2], rest)


def test_torch_op_of_packed():
    q = torch.tensor([[0x21, 0xF3], [0x00, 0x84]], dtype=torch.uint8, device=DEVICE)
    y, p = op("widen")(q, 0.5)
    assert y.tolist() == [[.5, 1, 1.5, -.5], [0, 0, 2, -4]
                          ] and p.shape == (4, 1) and p.view(-1).tolist() == [1, 2, 0x43, 0]
    torch.library.opcheck(op("widen").torch_op, (q, 0.5))
    refused("its last extent must be even", op("widen"), q[:1], 0.5)


def test_torch_op_opcheck():
    for name, args, named in (("sums", (rand(5, 7), rand(5, 7)), {}), ("axpy", (rand(8), rand(8), 0.5), {}),
                              ("eighths", (rand(3, 17), rand(2)), {}), ("count", (4,),
                                                                        dict(step=3, device=torch.device(DEVICE))),
                              ("front", (rand(9).bfloat16(), 4), {}), ("sums", (rand(7, 5).t(), rand(5, 7)), {})):
        torch.library.opcheck(op(name).torch_op, args, named)


def test_torch_op_compile():
    """One graph of inductor for several sizes; what is wrong is refused while it is traced."""
    graphs = []

    def step(x, r, y, n):
        h, s = op_sums(x, r)
        op_axpy(s, y, a=3.0)
        t, _ = op_count(n, step=2, device=x.device)
        return (h * s[:, None]).relu() + y[:, None], t + 1

    op_sums, op_axpy, op_count = op("sums"), op("axpy"), op("count")
    from torch._inductor.compile_fx import compile_fx

    def backend(graph, inputs):
        graphs.append(graph)
        return compile_fx(graph, inputs)

    compiled = torch.compile(step, fullgraph=True, dynamic=True, backend=backend)
    for m, n in ((5, 7), (4, 9), (6, 8)):
        x, r, y = rand(m, n), rand(m, n), rand(m)
        y2 = y.clone()
        for got, want in zip(compiled(x, r, y2, n), step(x, r, y, n)):
            torch.testing.assert_close(got, want)
        torch.testing.assert_close(y2, y)
    assert len(graphs) == 1, f"{len(graphs)} graphs"
    refused("expected torch.float32 (f32), got torch.float64", torch.compile(lambda x: op_sums(x, x), fullgraph=True),
            rand(2, 3).double())
    refused("extent 0 is M: expected 2, got 3", torch.compile(lambda x, r: op_sums(x, r), fullgraph=True), rand(2, 3),
            rand(3, 3))


def test_torch_op_export():

    class Net(torch.nn.Module):

        def forward(self, x, w):
            return op("eighths")(x, w) * 2

    k = torch.export.Dim("k", min=2, max=100)
    m = torch.export.Dim("m", min=2, max=100)
    x, w = rand(3, 17), rand(2)
    program = torch.export.export(Net(), (x, w), dynamic_shapes=({0: m, 1: 8 * k + 1}, {0: k}))
    assert any(n.target is op("eighths").torch_op for n in program.graph.nodes), program.graph
    x, w = rand(4, 41), rand(5)
    torch.testing.assert_close(program.module()(x, w), Net()(x, w))


def swish_of(x, w, b):
    y = w * x * torch.sigmoid(b * x)
    return y, y.sum()


def test_torch_op_gradient():
    swish = op("swish", gradient="swish_backward", name="tdlang_test::swish")
    assert swish.name == "tdlang_test::swish" and swish.torch_op is torch.ops.tdlang_test.swish.default
    x, w = rand(11).requires_grad_(), rand(11).requires_grad_()
    compiled = torch.compile(lambda x, w: swish(2 * x, w, 1.5), fullgraph=True)
    for call, want in ((lambda: swish(x, w), swish_of(x, w, 1.0)), (lambda: swish(x, w, 1.5), swish_of(x, w, 1.5)),
                       (lambda: compiled(x, w), swish_of(2 * x, w, 1.5))):
        y, total = call()
        torch.testing.assert_close((y, total), want)
        for outputs, wanted in (((y, total), want), ((y,), want[:1]), ((total,), want[1:])):
            dy = [torch.randn_like(v) for v in outputs]
            torch.testing.assert_close(torch.autograd.grad(outputs, (x, w), dy, retain_graph=True),
                                       torch.autograd.grad(wanted, (x, w), dy, retain_graph=True),
                                       rtol=1e-4,
                                       atol=1e-5)
    torch.library.opcheck(swish.torch_op, (x, w, 1.5))
    only_x = op("swish", gradient="half_of_it", name="tdlang_test::swish_x")
    only_x(x, w.detach())[0].sum().backward()
    torch.testing.assert_close(x.grad, x.detach())
    refused("there is no gradient of 'w': half_of_it has no output dw", only_x(x, w)[0].sum().backward)
    refused("nothing is given for 'z'", op, "swish", gradient="stray", name="tdlang_test::stray")
    refused("axpy changes 'y' in place", op, "axpy", gradient="half_of_it", name="tdlang_test::axpy")
    refused("no autograd formula was registered", op("swish")(x, w)[0].sum().backward)


def test_torch_op_gradient_by_hand():
    double = tdlang.op("export fn double(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }", name="tdlang_test::double")
    double.register_gradient(lambda ctx, dy: 2 * dy)
    x = rand(5).requires_grad_()
    double(x).sum().backward()
    assert x.grad.tolist() == [2.0] * 5


def test_torch_op_gpu_two_devices():
    x, r = rand(5, 7), rand(5, 7)
    for got, want in zip(op("sums")(x, r), op("sums")(x.cpu(), r.cpu())):
        torch.testing.assert_close(got.cpu(), want)
    static = rand(100)
    axpy = op("axpy")
    axpy(static, static.clone())
    graph, y = torch.cuda.CUDAGraph(), torch.zeros(100, device="cuda")
    with torch.cuda.graph(graph):
        axpy(static, y)
    graph.replay()
    graph.replay()
    torch.testing.assert_close(y, 4 * static)
