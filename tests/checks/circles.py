"""Circles of files that call each other, from the symbols of the linked objects: circles.py BUILD_FOLDER NAME=LIMIT...

Prints the circles and exits with 1 where one crosses a folder or holds more files than 4, or than the LIMIT of a folder."""
import collections
import os
import subprocess
import sys


def edges(build):
    """file -> the files of which it uses a symbol, both as paths without their ending."""
    objects = [os.path.join(at, f) for top in ("ir", "sched", "backend_cuda", "frontend", "grammar")
               for at, _, names in os.walk(os.path.join(build, top)) for f in names
               if f.endswith(".o") and not f.endswith("_text.o")]
    lines = subprocess.run(["nm", "-A", "-g", *objects], capture_output=True, text=True, check=True).stdout.splitlines()
    defines, uses = {}, collections.defaultdict(set)
    for line in lines:
        path, rest = line.split(":", 1)
        file = os.path.relpath(path, build)[:-2]
        if not os.path.exists(file + ".c") and not file.startswith("grammar/"):
            continue  # left over from a file that is gone
        *_, kind, symbol = rest.split()
        if kind == "U":
            uses[file].add(symbol)
        else:
            defines[symbol] = file
    return {file: {defines[s] for s in symbols if s in defines} - {file} for file, symbols in uses.items()}


def circles(graph):
    """The strongly connected components of more than one node (Tarjan's algorithm)."""
    number, low, stack, found = {}, {}, [], []

    def visit(v):
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in sorted(graph.get(v, ())):
            if w not in number:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], number[w])
        if low[v] == number[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for v in sorted(graph):
        if v not in number:
            visit(v)
    return found


sys.setrecursionlimit(10000)
limits = dict(a.split("=") for a in sys.argv[2:])
graph = edges(sys.argv[1])
failed = 0
for circle in circles(graph):
    folders = sorted({os.path.dirname(f) for f in circle})
    limit = int(limits.get(folders[0], 4))
    if len(folders) > 1:
        failed += 1
        print("a circle of files crosses folders:", *circle)
    elif len(circle) > limit:
        failed += 1
        print(f"a circle of {len(circle)} files, more than {limit}:", *circle)
    else:
        print(f"{len(circle)} files of {folders[0]} call each other:", *(os.path.basename(f) for f in circle))
print(f"{len(graph) - failed} passed, {failed} failed")
sys.exit(failed > 0 or len(graph) < 100)
