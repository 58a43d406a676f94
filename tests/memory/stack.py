"""Helps run.sh.

  td LAYERS                          prints a program: a stack of transformer blocks
  dims MANIFEST ENTRY NAME=VALUE...  prints the values in the order of the entry's dimensions
  live KERNELS EXPLAINED NAME=VALUE...  holds what `tdc explain` says of one entry's memory to the kernels' text, in which it finds on its own
      when each temporary is in use: no two at one place at one time but where one takes over from another; the workspace within 10 % of
      the largest live set
"""
import json, re, sys

BITS = dict(f64=64, i64=64, f32=32, i32=32, u32=32, f16=16, bf16=16, i16=16, u16=16, bool=8, i8=8, u8=8, f8e4m3=8, f8e5m2=8, i4=4, u4=4)
ALIGN = 256

LAYER = """
fn layer(x: bf16[B, S, H*D], n1: f32[H*D], wqkv: bf16[3*(H*D), H*D], bqkv: bf16[3*(H*D)], wo: bf16[H*D, H*D], bo: bf16[H*D],
         n2: f32[H*D], w1: bf16[F, H*D], b1: f32[F], w2: bf16[H*D, F], b2: f32[H*D], H: int) -> (y: bf16[B, S, H*D]) {
    let a = layer_norm(x, n1);
    let c: bf16[b, s, i] = a[b, s, i];
    let t = self_attention(c, wqkv, bqkv, wo, bo, causal = true, H = H);
    let h: bf16[b, s, i] = x[b, s, i] + t[b, s, i];
    let m = layer_norm(h, n2);
    let d: bf16[b, s, i] = m[b, s, i];
    let f = linear(d, w1, b1, act = gelu);
    let g: bf16[b, s, i] = f[b, s, i];
    let o = linear(g, w2, b2);
    y[b, s, i] = h[b, s, i] + o[b, s, i];
}
"""
WEIGHTS = [("n1", "f32[H*D]"), ("wqkv", "bf16[3*(H*D), H*D]"), ("bqkv", "bf16[3*(H*D)]"), ("wo", "bf16[H*D, H*D]"), ("bo", "bf16[H*D]"),
           ("n2", "f32[H*D]"), ("w1", "bf16[F, H*D]"), ("b1", "f32[F]"), ("w2", "bf16[H*D, F]"), ("b2", "f32[H*D]")]


def td(layers):
    print('import "attn";\nimport "linalg";\nimport "nn";\nimport "norm";\n' + LAYER)
    params = ", ".join(f"{n}_{k}: {t}" for k in range(layers) for n, t in WEIGHTS)
    print(f"export fn stack(x: bf16[B, S, H*D], {params}, H: int) -> (y: bf16[B, S, H*D]) {{")
    before = "x"
    for k in range(layers):
        call = f"layer({before}, " + ", ".join(f"{n}_{k}" for n, _ in WEIGHTS) + ", H = H)"
        print(f"    y = {call};" if k == layers - 1 else f"    let x{k + 1} = {call};")
        before = f"x{k + 1}"
    print("}")


def dims(manifest, entry, *values):
    given = dict(v.split("=") for v in values)
    with open(manifest) as f:
        entries = json.load(f)["entries"]
    print(*(given[d["name"]] for e in entries if e["name"] == entry for d in e["dimensions"]))


def read_program(path, sizes):
    """Temporaries with their bytes; for each, the kernels that touch it."""
    size, first, last, kernel = {}, {}, {}, 0
    with open(path) as f:
        for line in f:
            temp = re.match(r"  temp (\w+): (\w+)\[(.*?)\]( zero)?$", line)
            if temp:
                n = BITS[temp[2]]
                for extent in filter(None, temp[3].split(", ")):
                    n *= eval(extent.replace("/", "//"), {}, dict(sizes))
                size[temp[1]] = -(-n // 8)
                if temp[4]:
                    first[temp[1]], last[temp[1]] = 1, 1
            kernel += line.startswith("kernel ")
            if kernel:
                for name in set(re.findall(r"\b[a-zA-Z_]\w*(?=\[)", line)) | set(re.findall(r"counter (\w+)", line)):
                    first.setdefault(name, kernel)
                    last[name] = kernel
    return {t: (n, first[t], last[t]) for t, n in size.items()}


def live(kernels, explained, *values):
    temps = read_program(kernels, {k: int(v) for k, v in (x.split("=") for x in values)})
    with open(explained) as f:
        text = f.read()
    workspace = int(re.search(r"^workspace (\d+) bytes", text, re.M)[1])
    text = text[text.rindex("name:bytes@offset(kernels)"):].replace("\n", " ")
    lies = {n: (int(b), home or "workspace", int(at)) for n, b, home, at in re.findall(r"(\w+):(\d+)@(?:(\w+)\+)?(\d+)", text)}
    stands = dict(re.findall(r"(\w+):in +(\w+)", text))
    assert temps and set(lies) | set(stands) == set(temps), set(temps) ^ (set(lies) | set(stands))
    up = lambda n: -(-n // ALIGN) * ALIGN
    count = max(last for _, _, last in temps.values())
    least = max(sum(up(n) for n, a, b in temps.values() if a <= k <= b) for k in range(1, count + 1))
    for t, (n, a, b) in temps.items():
        assert t in stands or lies[t][0] == n, (t, n, lies.get(t))
        for u, (m, c, d) in temps.items():
            if t == u or t in stands and u in stands and stands[t] == stands[u] and (b == c or d == a or b < c or d < a):
                continue
            x, y = (lies.get(stands.get(v, v), (0, stands.get(v), 0)) for v in (t, u))
            if x[1] != y[1] or b < c or d < a:
                continue
            takes_over = (stands.get(t) == u and b == c) or (stands.get(u) == t and d == a)
            apart = x[2] + up(n) <= y[2] or y[2] + up(m) <= x[2]
            assert apart or takes_over, f"{t} and {u} are both in use, at {x} and {y}"
    print(f"{len(temps)} temporaries, workspace {workspace}, largest live set {least}")
    assert workspace <= 1.12 * least, f"a workspace of {workspace}, more than 12 % above the largest live set, {least}"


{"td": lambda n: td(int(n)), "dims": dims, "live": live}[sys.argv[1]](*sys.argv[2:])
