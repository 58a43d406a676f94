"""The manifest of each model named: JSON that Python reads, complete, and the same interface as the header's.

What is compared: the functions and their parameters, as C; statuses in order; the shapes' texts and forms, by value; the
fingerprint, with the model.c beside it."""
import json, os, random, re, subprocess, sys, tempfile

TDC = os.environ.get("TDC", "build/tdc")
C_TYPE = dict(f64="double", f32="float", f16="float", bf16="float", f8e4m3="float", f8e5m2="float", i64="int64_t",
              i32="int32_t", i16="int16_t", i8="int8_t", i4="int8_t", u32="uint32_t", u16="uint16_t", u8="uint8_t",
              u4="uint8_t", bool="uint8_t")
ELEMENT = dict(C_TYPE, f16="td_f16_t", bf16="td_bf16_t", f8e4m3="td_f8e4m3_t", f8e5m2="td_f8e5m2_t", i4="void", u4="void")
OPS = {"+": lambda a, b=None: a + b, "*": lambda a, b: a * b, "/": lambda a, b: a // b if b else 0,
       "-": lambda a, b=None: -a if b is None else a - b, "%": lambda a, b: a % b if b else 0, "min": min, "max": max,
       "if": lambda c, a, b: a if c else b, ">=": lambda a, b: a >= b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b,
       "<": lambda a, b: a < b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "&&": lambda a, b: a and b,
       "aligned": lambda: True}


def value(form, dims):
    """A form by its definition in docs/interface.md."""
    if isinstance(form, str):
        return dims[form]
    if not isinstance(form, list):
        return form
    if form[0] == "cast":
        return value(form[2], dims)
    return OPS[form[0]](*[value(f, dims) for f in form[1:]])


def text_value(text, dims):
    """What td text of dimensions is, whose / and && are written otherwise in Python."""
    text = re.sub(r"(?<!/)/(?!/)", "//", text).replace("&&", " and ")
    return eval(text, {"min": min, "max": max, "i64": int, "aligned": lambda: True}, dims)


def parameters(text):
    """C parameters without their names, which may differ where C has taken them."""
    words = [p.strip() for p in text.split(",")] if text.strip() not in ("", "void") else []
    return [re.sub(r"\s*\w+$", "", p).replace(" *", "*") for p in words]


def signatures(header):
    flat = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", header, flags=re.S))
    return {n: (r.strip(), parameters(p)) for r, n, p in re.findall(r"([\w ]+?[ *]+)(\w+)\(([^()]*)\);", flat)}


def comments(header):
    """What the comment above each function says of its arguments: kinds and names, but for what C had taken."""
    found = {}
    for text, name in re.findall(r"/\* ((?:(?!\*/).)*) \*/\n(?:[^/]*\n)?[^\n/]*?(\w+)\([^()]*\);\n(?:\n|$)", header, re.S):
        lines = re.findall(r"^ \*   (in|inout|out|dim|scalar) +(\w+)", text, re.M)
        found[name] = [(kind, re.sub(r"^v_(?=td_)|^v(?=_)|_+$", "", n)) for kind, n in lines]
    return found


def expected(m, e):
    """The functions of an entry, as the manifest has them."""
    x = m["prefix"]
    dims = ["int64_t"] * len(e["dimensions"])
    scalars = [s["c_type"] for s in e["scalars"]]
    tensors = [("const " if t["direction"] == "in" else "") + t["c_type"] + "*" for t in e["tensors"]]
    if e["kind"] == "host":
        return {e["symbols"]["run"]: (C_TYPE[e["tensors"][0]["type"]], dims + scalars)}
    ctx = [x + "_context*"]
    return {e["symbols"]["run"]: (x + "_status", ctx + [f"const {x}_run*"] + tensors + dims + scalars),
            e["symbols"]["workspace"]: (x + "_status", ctx + dims + ["size_t*"]),
            e["symbols"]["prepare"]: (x + "_status", ctx + dims)}


def check_entry(m, e, functions, header):
    for name, want in expected(m, e).items():
        assert functions.get(name) == want, f"{name} is {functions.get(name)}, the manifest has {want}"
    names = [d["name"] for d in e["dimensions"]]
    for s in e["scalars"]:
        assert s["c_type"] == C_TYPE[s["type"]], s
    for d in e["dimensions"]:
        assert d["from"] in ("inputs", "outputs", "argument") and d["divisor"] >= 1 and d["least"] >= 0, d
    arguments = [(t["direction"], t["name"]) for t in e["tensors"] if e["kind"] == "device"]
    arguments += [("dim", n) for n in names] + [("scalar", s["name"]) for s in e["scalars"]]
    assert comments(header)[e["symbols"]["run"]] == arguments, f"the comment above {e['name']} has not {arguments}"
    rng = random.Random(e["name"])
    for t in e["tensors"]:
        assert t["direction"] in ("in", "out", "inout") and t["c_type"] == ELEMENT[t["type"]], t
        for other in t["may_alias"]:
            of = next(o for o in e["tensors"] if o["name"] == other)
            assert t["direction"] == "out" and of["direction"] == "in" and of["type"] == t["type"], t
            assert f"{t['name']} may have the address of {other}" in header, t
        for x in t["shape"]:
            for _ in range(8):
                dims = {n: rng.randrange(1, 50) for n in names}
                want = text_value(x["text"], dims)
                assert value(x["form"], dims) == want, f"{x} is {value(x['form'], dims)}, not {want}, at {dims}"
    for r in e["requires"]:
        assert r["condition"] and r["form"], r
    for w in e.get("ways", []):
        for c in w["when"]:
            for _ in range(8):
                dims = {n: rng.randrange(1, 50) for n in names}
                assert value(c["form"], dims) == text_value(c["text"], dims), c


def check(path, folder):
    subprocess.run([TDC, path, "-o", f"{folder}/model.cu", "--emit=cu,c,h,manifest"], check=True)
    with open(f"{folder}/model.json") as f:
        m = json.load(f)
    with open(f"{folder}/model.h") as f:
        header = f.read()
    with open(f"{folder}/model.c") as f:
        source = f.read()
    assert m["format"] == 1 and m["prefix"] == "model" and m["header"] == "model.h" and m["targets"] == ["sm_90a"]
    assert m["gencode"] == ["-gencode", "arch=compute_90a,code=sm_90a"]
    assert m["statuses"] == re.findall(r"^    model_(ok|error_\w+), /\*", header, re.M), m["statuses"]
    assert f"model_fingerprint = UINT64_C(0x{m['fingerprint']});" in source, "the fingerprint is not that of model.c"
    functions = signatures(header)
    known = set(m["symbols"].values()) - {"model_fingerprint"}
    for e in m["entries"]:
        check_entry(m, e, functions, header)
        known |= set(e["symbols"].values())
    assert known == set(functions), f"not in both: {known ^ set(functions)}"
    return m


def check_shapes(m):
    """What tests/manifest/shapes.td is there for."""
    e = {x["name"]: x for x in m["entries"]}
    source = {x["name"]: {d["name"]: d["from"] for d in x["dimensions"]} for x in m["entries"]}
    assert source == {"groups": {"N": "inputs", "K": "inputs", "B": "inputs"}, "table": {"rows": "argument"},
                      "windows": {"L": "inputs"}, "inf_default": {"M": "inputs"}}, source
    assert e["groups"]["doc"] == 'Sums of groups.\n"Quoted", with a \\ and a tab\tin between.', e["groups"]["doc"]
    assert e["windows"]["doc"] is None
    assert [r["text"] for r in e["groups"]["requires"]] == ['no "empty" groups'], e["groups"]["requires"]
    assert [s["default"] for s in e["table"]["scalars"]] == [.5, 1] and e["inf_default"]["scalars"][0]["default"] == "inf"
    n = e["groups"]["dimensions"][0]
    assert n == {"name": "N", "least": 0, "most": None, "divisor": 8, "hint": 1024, "default": None, "from": "inputs"}, n


def launched(launches):
    """The kernels that a way may launch, in the order of the text: a list is a choice, whose last case has no condition."""
    for k in launches:
        if isinstance(k, str):
            yield k
            continue
        assert len(k) > 1 and all(c["when"] for c in k[:-1]) and not k[-1]["when"], k
        yield from (c["launch"] for c in k)


def check_ways(m, source):
    """Of entries whose launches depend on sizes: the conditions in order, and what each function launches."""
    for e in m["entries"]:
        name = e["name"]
        runs = re.findall(rf"td_{name}_run_\d+\(const td_sink.*?\n}}\n", source, re.S)
        if "ways" not in e:
            assert not runs, f"{name} has several ways"
            continue
        if len(e["ways"]) == 1:
            runs = re.findall(rf"td_{name}_run(?:_by_address)?\(const td_sink.*?\n}}\n", source, re.S)[:1]
        launches = [list(launched(w["launches"])) for w in e["ways"]]
        assert launches == [re.findall(r'"kernel (\w+)", model_', r) for r in runs], e["ways"]
        whens = re.findall(rf"^    (?:if .*\n        )?return td_{name}_run_\d+", source, re.M)
        assert [bool(w["when"]) for w in e["ways"]] == ["if" in w for w in whens or [""]], whens
        assert not e["ways"][-1]["when"], whens


def main(paths):
    failed = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            try:
                m = check(path, folder)
                if path.endswith("manifest/shapes.td"):
                    check_shapes(m)
                with open(f"{folder}/model.c") as f:
                    source = f.read()
                check_ways(m, source)
            except Exception as e:
                failed += 1
                print(f"FAILED {path}: {type(e).__name__}: {e}")
    print(f"{len(paths) - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main(sys.argv[1:]))
