"""Writes library_MODULE.td: exports of tests/stdlib/ref_MODULE.py in bf16, in one file a module; every twelfth, or with
TDC_EVERY=N every N-th."""
import glob, importlib, os, re, sys

sys.path.insert(0, "tests/stdlib")
import harness

sys.modules["__main__"] = harness
for path in sorted(glob.glob("tests/stdlib/ref_*.py")):
    module = os.path.basename(path)[4:-3]
    del harness.CASES[:]
    importlib.import_module("ref_" + module)
    with open(f"{sys.argv[1]}/library_{module}.td", "w") as f:
        f.write(f'import "{module}";\n')
        for i, c in list(enumerate(harness.CASES))[:: int(os.environ.get("TDC_EVERY", 12))]:
            f.write(re.sub(r"\bit\b", f"it{i}", c.td.replace("f64", "bf16")) + "\n")
