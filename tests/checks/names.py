"""The names of exported symbols: names.py BUILD_FOLDER RULES

A symbol begins with a word of its file's name, or with its singular (glue_host.c: glue or host; types.c: type), or with a
word that RULES gives the file or its folder: lines `PATH WORD...`; a word * leaves the folder out. Prints the others, and
exits with 1 where there is one."""
import os
import subprocess
import sys

TOPS = ("ir", "sched", "backend_cuda", "frontend", "grammar")


def exported(build):
    """(file without its ending, symbol) of the objects whose source there still is."""
    objects = [os.path.join(at, f) for top in TOPS for at, _, names in os.walk(os.path.join(build, top))
               for f in names if f.endswith(".o")]
    lines = subprocess.run(["nm", "-A", "-g", "--defined-only", *objects], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    for line in lines:
        path, rest = line.split(":", 1)
        file = os.path.relpath(path, build)[:-2]
        if os.path.exists(file + ".c"):
            yield file, rest.split()[-1]


def main():
    build, rules = sys.argv[1], {}
    with open(sys.argv[2], encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                path, *words = line.split()
                rules.setdefault(path, set()).update(words)
    passed, failed = 0, 0
    for file, symbol in sorted(exported(build)):
        words = set(os.path.basename(file).split("_"))
        words |= {word[:-1] for word in words if word.endswith("s")}
        words |= rules.get(file, set()) | rules.get(os.path.dirname(file), set())
        if "*" in words:
            continue
        if any(symbol == word or symbol.startswith(word + "_") for word in words):
            passed += 1
        else:
            failed += 1
            print(f"{file}.c: {symbol} does not begin with its module's name")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


sys.exit(main())
