"""Writes library_MODULE.td: every export of tests/stdlib/ref_MODULE.py in bf16, in one file a module."""
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
        for i, c in enumerate(harness.CASES):
            f.write(re.sub(r"\bit\b", f"it{i}", c.td.replace("f64", "bf16")) + "\n")
