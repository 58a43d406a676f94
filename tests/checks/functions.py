"""The length of functions, and how many parameters they have: functions.py MOST_LINES MOST_PARAMETERS FOLDERS...

Reads the exceptions, lines `FILE FUNCTION lines|parameters`, from standard input. Prints the functions that are
longer than MOST_LINES (from the first line of the head to the closing brace) or have more than MOST_PARAMETERS, and
exceptions that nothing needs; exits with 1 where there is one."""
import bisect
import collections
import os
import re
import sys

Function = collections.namedtuple("Function", "name line lines parameters")

# What may hide braces and commas. Strings and comments are blanked, their lines stay; so are the preprocessor's lines.
SILENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|^[ \t]*#(?:[^\n\\]|\\.)*',
                    re.S | re.M)
# The end of a function's head: its parameters, then what C++ may have after them.
HEAD = re.compile(r"([\w~]+|operator\s*\S+)\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"
                  r"\s*(?:(?:const|noexcept|override)\s*)*(?:->[^{]*|:[^:{][^{]*)?\Z", re.S)


def parameters(text):
    """How many parameters stand between a head's parentheses."""
    while re.search(r"\([^()]*\)|<[^<>]*>|\[[^\[\]]*\]", text):
        text = re.sub(r"\([^()]*\)|<[^<>]*>|\[[^\[\]]*\]", " ", text)
    text = text.strip()
    return 0 if text in ("", "void") else text.count(",") + 1


def functions(text):
    """The functions of a file of C or C++, also those in namespaces and classes."""
    text = SILENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    starts = [m.end() for m in re.finditer(r"\n", text)]
    line_of = lambda at: bisect.bisect_right(starts, at) + 1
    scopes, head, found = [], 0, []  # scopes: of each open brace its function, or None
    for m in re.finditer(r"[{};]", text):
        inside = any(scopes)
        if m.group() == "{":
            begin = text[head:m.start()]
            match = None if inside or re.search(r"=\s*\Z", begin) else HEAD.search(begin)
            first = head + len(begin) - len(begin.lstrip())
            scopes.append((match.group(1), match.group(2), first) if match else None)
        elif m.group() == "}" and scopes:
            scope = scopes.pop()
            if scope:
                name, given, first = scope
                lines = line_of(m.start()) - line_of(first) + 1
                found.append(Function(name, line_of(first), lines, parameters(given)))
        if not any(scopes):
            head = m.end()
    return found


def main():
    most_lines, most_parameters = int(sys.argv[1]), int(sys.argv[2])
    exceptions = {tuple(line.split()[:3]) for line in sys.stdin if line.strip() and not line.startswith("#")}
    needed, passed, failed = set(), 0, 0
    files = sorted({os.path.join(at, name) for folder in sys.argv[3:] for at, _, names in os.walk(folder)
                    for name in names if name.endswith((".c", ".h", ".cpp"))})
    for file in files:
        with open(file, encoding="utf-8") as f:
            text = f.read()
        for fn in functions(text):
            bad = []
            for what, n, most in (("lines", fn.lines, most_lines), ("parameters", fn.parameters, most_parameters)):
                if n <= most:
                    continue
                if (file, fn.name, what) in exceptions:
                    needed.add((file, fn.name, what))
                else:
                    bad.append(f"{n} {what}, more than {most}")
            passed, failed = passed + (not bad), failed + bool(bad)
            if bad:
                print(f"{file}:{fn.line}: {fn.name} has {' and '.join(bad)}")
    for unneeded in sorted(exceptions - needed):
        print("an exception that nothing needs:", *unneeded)
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


sys.exit(main())
