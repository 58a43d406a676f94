"""Compares the arguments of each entry of order.td and dims.td with the comment above it, `// x, a, b; N`: in model.h
and in the manifest; and calls each entry of order.td from Python, by place. Usage: arguments.py FOLDER"""
import json, os, re, sys
import numpy as np
import tdlang

HERE = os.path.dirname(os.path.abspath(__file__))
failures = passed = 0


def same(what, got, expected):
    global failures, passed
    if got == expected:
        passed += 1
    else:
        failures += 1
        print(f"FAILED: {what}: got {got}, expected {expected}")


def expected(name):
    """Entry -> its tensors and dimensions, by the comments of the source."""
    source = open(os.path.join(HERE, name + ".td")).read()
    found = re.findall(r"^// ([\w, ]+);([\w, ]*)\nexport (?:fn )?(\w+)", source, re.M)
    assert len(found) == len(re.findall(r"^export ", source, re.M)), "an entry without its comment"
    names = lambda text: [x.strip() for x in text.split(",") if x.strip()]
    return {entry: (names(tensors), names(dims)) for tensors, dims, entry in found}


def c_arguments(header, name, entry):
    call = re.search(rf"\b{name}_{entry}\(([^;]*)\);", header).group(1)
    found = [(re.search(r"(\w+)$", a.strip()).group(1), "*" in a) for a in call.split(",")][2:]
    return [n for n, pointer in found if pointer], [n for n, pointer in found if not pointer]


for model in ("order", "dims"):
    header = open(os.path.join(sys.argv[1], model + ".h")).read()
    manifest = json.load(open(os.path.join(sys.argv[1], model + ".json")))
    entries = {e["name"]: e for e in manifest["entries"]}
    for entry, (tensors, dims) in expected(model).items():
        same(f"C: {entry}", c_arguments(header, model, entry), (tensors, dims))
        got = [[x["name"] for x in entries[entry][kind]] for kind in ("tensors", "dimensions")]
        same(f"manifest: {entry}", got, [tensors, dims])
        order = re.findall(r"(\w+): f32", entries[entry]["signature"])
        same(f"signature: {entry}", order, tensors)

built = tdlang.build(os.path.join(HERE, "order.td"))
x = np.arange(7, dtype=np.float32)
for entry, (tensors, _) in expected("order").items():
    p = np.zeros(7, np.float32)
    given = {"x": x, "p": p}
    results = getattr(built, entry)(*(given[t] for t in tensors if t in given))
    outputs = [t for t in tensors if t not in given]
    results = dict(zip(outputs, results if len(outputs) > 1 else [results]))
    if "p" in tensors:
        results["a"] = p
    right = {"a": x + 1, "b": 2 * x + 2, "c": 4 * x + 4}
    same(f"Python: {entry}", [t for t in results if not np.array_equal(results[t], right[t])], [])
print(f"{passed} passed, {failures} failed")
sys.exit(failures > 0)
