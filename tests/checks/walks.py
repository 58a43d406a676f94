"""Functions that walk expressions by themselves: walks.py FILE... prints `file function` of each that, in a loop over a
node's operands, comes back to itself with one of them, and `file: line: what` of each other idiom that has a better one.
A function comes back to itself directly, or by functions of its file."""
import re
import sys

START = re.compile(r"^(?!typedef|struct|enum|union|#|/|\}| )(?:[A-Za-z_][\w \*]*?[ \*])([A-Za-z_]\w*)\((?!.*;\s*$)")
CALL = re.compile(r"\b([A-Za-z_]\w*)\(")
IDIOMS = [
    (re.compile(r"nargs <= 4 \?"), "a rewriter of its own: expr_rewrite"),
    (re.compile(r"\(u?intptr_t\) *expr_map_get|expr_map_put\(.*\(const void \*\) *\(?\(u?intptr_t\)"),
     "a number hidden in a pointer: expr_map_number"),
    (re.compile(r"\((?!const)[A-Za-z]\w* \*\) *expr_map_get\("), "a const that is cast away: expr_map_object"),
]


def functions(text):
    """name, body of each function of a file in the project's format."""
    name, body = None, []
    for line in text.split("\n"):
        start = START.match(line)
        if name is None and start:
            name, body = start.group(1), []
        if name:
            body.append(line)
            if line == "}" or (line.endswith("}") and len(body) == 1):
                yield name, "\n".join(body)
                name = None
            elif line.endswith(";") and not any(l.endswith("{") for l in body):
                name = None


def loops(body):
    """The statements of a function that stand in a loop over operands."""
    lines = body.split("\n")
    for i, line in enumerate(lines):
        if not re.search(r"\b(for|while) \(.*nargs", line):
            continue
        indent = len(line) - len(line.lstrip())
        part = [line]
        for after in lines[i + 1:]:
            if after.strip() and len(after) - len(after.lstrip()) <= indent:
                break
            part.append(after)
        yield "\n".join(part)


def reaches(calls, start, goal):
    todo, seen = [start], set()
    while todo:
        f = todo.pop()
        if f == goal:
            return True
        if f not in seen:
            seen.add(f)
            todo.extend(calls.get(f, ()))
    return False


def walks(text):
    bodies = dict(functions(text))
    calls = {f: {c for c in CALL.findall(b.split("\n", 1)[-1] if "\n" in b else b.split("{", 1)[-1]) if c in bodies}
             for f, b in bodies.items()}
    for f, body in bodies.items():
        back = {c for part in loops(body) for c in CALL.findall(part) if "arg[" in part and c in bodies}
        if any(reaches(calls, c, f) for c in back):
            yield f


for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    for f in walks(text):
        print(path, f)
    for n, line in enumerate(text.split("\n"), 1):
        for idiom, what in IDIOMS:
            if idiom.search(line):
                print(f"{path}:{n}: {what}")
